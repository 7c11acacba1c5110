/**
 * Texts that stored states have in common, most common last: what compression may refer to. A changed text needs a number of its
 * own, and the old one stays for what was written with it; a test holds it fixed.
 */
export const STATE_DICTIONARY = Buffer.from(
  [
    '"payment_readback","order_readback","charge_readback","list"]',
    '"REJECTED","FAILED","CANCELED","refund_failed","evidence_unavailable_before_timeout","UNVERIFIABLE","CONTRADICTED","ask_person:',
    'duplicate_side_effect","do_not_retry:","money_moved_twice","transaction_pending","refund_pending"',
    '"charge.refunded","refund.failed","charge.refund.updated","REFUNDS_CREATE",0,"SUCCESS","GBP","EUR","en":"eur"',
    '"PAYMENT.REFUND.FAILED","WH-","PAYMENT.REFUND.PENDING",0,"PAYMENT.CAPTURE.REFUNDED",0,"refund.updated",0,"refund.created",0,',
    '+00:00",1,1],[[3,null,null,null,null,null,1],{"data":{"refund":{"createdAt":"2026-0T00:00:00Z","id":"gid://shopify/Refund/',
    '","order":{"id":"gid://shopify/Order/"},"totalRefundedSet":{"shopMoney":{"amount":"0.00","currencyCode":"USD"},',
    '"presentmentMoney":{"amount":"0.00","currencyCode":"USD"}},"transactions":[{"status":"SUCCESS","kind":"REFUND","amountSet":',
    '{"shopMoney":{"amount":"0.00","currencyCode":"USD"},"presentmentMoney":{"amount":"0.00","currencyCode":"USD"}}}]}}}]]]],[["~',
    '"shopify.refund.financially_completed","1.0.0","202","order_id":"gid://shopify/Order/","currency_code":"USD"},"',
    '{"refundCreate":{"refund":{"id":"gid://shopify/Refund/"}}},"gid://shopify/Refund/',
    '"stripe.refund.succeeded","1.0.0","202",{"charge_id":"ch_","amount":10,"currency":"usd"},"succeeded","usd",{"id":"re_","charge":"ch_',
    '","created":"202","status":"succeeded"}]]]],[["~","evt_","payment_intent":"pi_',
    '"square.refund.completed","1.1.0","202",null,null,{"payment_id":"","amount":10,"currency":"USD"},{"refund":{"id":"',
    '{"refund":{"status":"COMPLETED","amount_money":{"amount":10,"currency":"USD"},"payment_id":"","created_at":"202","id":"',
    '"paypal.refund.completed","1.1.0","202",null,null,{"capture_id":"","amount":"0.00","currency_code":"USD"},"',
    '"USD","202",1,1,null,["op-"]],{"id":"","amount":{"value":"0.00","currency_code":"USD"},"create_time":"202","status":"COMPLETED"}]]]],[["~',
    '[1,"square","merchant-[1,"shopify","merchant-[1,"stripe","merchant-[1,"paypal","merchant-',
    ',["operation-started","webhook-received","readback-result"],[["op-","1.0.0","2026-00.000Z",null,null,{"[0,0,10]],[["2026-00:00:00.000Z","',
    '"]],[["refund_readback",2,0]],[[1,"PENDING","awaiting_evidence",10],[2,"VERIFIED","all_conditions_hold",0,null,null,1,null,"none::"]]]],[["',
    '",[[0,"COMPLETED","0.00","USD","2026-00Z","2026-00Z",1,null,["op-"]],[1,0,10]],[[1,"PENDING",[0,0,10]],[["refund_readback",[0,"COMPLETED",',
    '"]],[],[],0,-60470',
    '"]],[],[],0,-259',
  ].join(''),
);
