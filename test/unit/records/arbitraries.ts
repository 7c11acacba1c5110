import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/evaluator/index.ts';
import { parseJsonText, printJson } from '../../../src/records/index.ts';

/** Whole Unicode text: what a UTF-8 log can hold. */
export const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const id = fc.string({
  unit: fc.constantFrom('a', 'Z', '9', ':', '/', '-', 'é', '😀', ' '),
  minLength: 1,
  maxLength: 20,
});
const account = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
const provider = fc.constantFrom('paypal', 'square', 'shopify', 'stripe');
export const instant = fc.constantFrom(
  '2026-09-01T12:00:00Z',
  '2026-09-01T12:00:00.350Z',
  '2026-02-28T23:59:59.123456+05:30',
);
const count = fc.nat({ max: 2 ** 31 });
const nullish = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });

/** JSON as the parser gives it: long integers are bigints. */
const tree = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
}));
const normal = (value: unknown): Json => parseJsonText(printJson(value as Json));
export const json = tree.value.map(normal);
export const jsonObject = tree.object.map((value) => normal(value) as JsonObject);

/** Adds fields that no schema names. */
const withExtra = (known: fc.Arbitrary<object>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      known,
      fc.option(
        fc.dictionary(
          text.map((name) => `x${name}`),
          json,
          { maxKeys: 2 },
        ),
        { nil: {} },
      ),
    )
    .map(([fields, extra]) => ({ ...extra, ...fields }) as JsonObject);

const action = fc.oneof(
  withExtra(fc.record({ result: jsonObject, completed_at: instant })),
  withExtra(
    fc.record({
      error: withExtra(
        fc.record(
          { kind: fc.constantFrom('timeout', 'declined'), http_status: nullish(fc.constant(422)), body: json },
          { requiredKeys: ['kind'] },
        ),
      ),
      completed_at: instant,
    }),
  ),
);

const operation = { operation_id: id, provider, account };

const started = withExtra(
  fc.record(
    {
      kind: fc.constant('operation.started'),
      ...operation,
      contract: withExtra(fc.record({ id, version: nullish(id) }, { requiredKeys: ['id'] })),
      created_at: instant,
      idempotency_key: nullish(id),
      input: jsonObject,
      action: nullish(action),
      handoff: nullish(id),
      observe_from: nullish(instant),
    },
    { requiredKeys: ['kind', 'operation_id', 'provider', 'account', 'contract', 'created_at', 'input'] },
  ),
);
const acted = withExtra(fc.record({ kind: fc.constant('operation.acted'), ...operation, payment_id: id, action }));
const bytes = fc.uint8Array({ maxLength: 30 }).map((body) => Buffer.from(body).toString('base64'));
const webhook = withExtra(
  fc
    .tuple(
      fc.record({
        kind: fc.constant('webhook.received'),
        provider,
        account,
        endpoint: id,
        headers: fc.dictionary(fc.stringMatching(/^[A-Za-z-]{1,12}$/), text),
        received_at: instant,
        certificates: fc.oneof(fc.constant(null), text, fc.array(text, { maxLength: 2 })),
      }),
      fc.oneof(fc.record({ body: text }), fc.record({ body_base64: bytes })),
    )
    .map(([fields, body]) => ({ ...fields, ...body })),
);
const readback = withExtra(
  fc
    .tuple(
      fc.record(
        {
          kind: fc.constant('readback.result'),
          ...operation,
          payment_id: id,
          channel: id,
          purpose: fc.constantFrom('poll', 'list', null),
          resource_id: nullish(id),
          attempt: nullish(count),
          requested_at: nullish(instant),
          observed_at: instant,
          http_status: nullish(fc.constant(200)),
        },
        { requiredKeys: ['kind', 'operation_id', 'provider', 'account', 'payment_id', 'channel', 'observed_at'] },
      ),
      fc.oneof(
        fc.record({ outcome: fc.constant('ok'), body: text }),
        fc.constant({ outcome: 'absent' }),
        fc.record({
          outcome: fc.constant('error'),
          error: withExtra(
            fc.record(
              { kind: fc.constantFrom('timeout', 'server'), message: nullish(text), retry_after_ms: nullish(count) },
              { requiredKeys: ['kind'] },
            ),
          ),
        }),
      ),
    )
    .map(([fields, answer]) => ({ ...fields, ...answer })),
);
const review = withExtra(
  fc.record({
    kind: fc.constant('review.decided'),
    ...operation,
    payment_id: id,
    answers: id,
    decision: fc.constantFrom('VERIFIED', 'CONTRADICTED', 'FAILED'),
    reason: text.map((reason) => `r${reason}`),
    reviewer: id,
    decided_at: instant,
  }),
);

const ofPayment = { provider, account, payment_id: id };
const receipt = withExtra(
  fc.record(
    {
      kind: fc.constant('charge.receipt'),
      ...ofPayment,
      receipt_ref: id,
      receipt: nullish(text),
      received_at: instant,
    },
    { requiredKeys: ['kind', 'provider', 'account', 'payment_id', 'receipt_ref', 'received_at'] },
  ),
);
const reversal = fc
  .tuple(receipt, id)
  .map(([fields, charge]): JsonObject => ({ ...fields, kind: 'refund.receipt', charge_ref: charge }));
const requested = withExtra(
  fc.record(
    {
      kind: fc.constant('handoff.requested'),
      ...ofPayment,
      charge_ref: id,
      amount: text,
      currency: id,
      reason: text.map((reason) => `r${reason}`),
      rail: id,
      counterparty: id,
      authority: fc.option(json, { nil: null }),
      requested_at: instant,
    },
    {
      requiredKeys: [
        ...['kind', 'provider', 'account', 'payment_id', 'charge_ref', 'amount', 'currency', 'reason', 'rail'],
        ...(['counterparty', 'requested_at'] as const),
      ] as never,
    },
  ),
);
const bound = withExtra(
  fc.record(
    {
      kind: fc.constant('handoff.bound'),
      ...ofPayment,
      request: jsonObject,
      bound_to: nullish(fc.record({ payment_key: text, request_digest: text })),
      source: fc.record({ topic: text, partition: count, offset: text }),
      requested_at: instant,
    },
    { requiredKeys: ['kind', 'provider', 'account', 'payment_id', 'request', 'source', 'requested_at'] },
  ),
);

/** Any input record that parses. */
export const inputRecord = fc.oneof(started, acted, webhook, readback, review, receipt, reversal, requested, bound);

/** A record without the nulls that only say "left out", and with a webhook's raw body in one form. */
export const normalRecord = (value: JsonObject): Json => {
  const { kind, body, body_base64: encoded, ...rest } = value;
  if (kind !== 'webhook.received') return withoutNulls(value, kind);
  const raw = typeof body === 'string' ? Buffer.from(body).toString('base64') : (encoded ?? null);
  return withoutNulls({ ...rest, kind, body: raw }, kind);
};

const OPTIONAL = new Set(
  'version idempotency_key action handoff observe_from result error http_status certificates purpose resource_id attempt requested_at message retry_after_ms body receipt authority bound_to'.split(
    ' ',
  ),
);
const withoutNulls = (value: Json, kind: Json | undefined): Json => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([name, item]) => item !== null || !OPTIONAL.has(name));
  return Object.fromEntries(
    kept.map(([name, item]) => [
      name,
      ['contract', 'action', 'error'].includes(name) ? withoutNulls(item, kind) : item,
    ]),
  );
};
