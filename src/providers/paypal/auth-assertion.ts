const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * `PayPal-Auth-Assertion`: the unsigned JWT by which a platform names the merchant it reads for
 * (developer.paypal.com/api/rest/requests: header `alg: none`, `iss` the client id, `payer_id` the merchant's account id).
 */
export const authAssertion = (clientId: string, merchantId: string): string =>
  `${encoded({ alg: 'none' })}.${encoded({ iss: clientId, payer_id: merchantId })}.`;
