import type { EpochMs, JsonObject } from '../../src/evaluator/index.ts';
import { printInstant } from '../../src/evaluator/index.ts';
import { printJson } from '../../src/records/json-text.ts';
import type { Delivered, Item } from './item.ts';
import { makeItem } from './item.ts';
import { actedRecord, type ProviderWebhook, reversalWebhook, startedRecord, webhooksOf } from './providers.ts';
import type { Random } from './random.ts';
import { signatureHeaders } from './signing.ts';
import type { Weather } from './weather.ts';
import { operationsOf, refundsOf, type World } from './world.ts';

/** Delays are short for the most part and long now and then. */
const delayMs = (random: Random, most: number): number => Math.round(most * random.next() ** 3);

const firstRecord = (
  event: ProviderWebhook,
  raw: string,
  receivedAt: EpochMs,
  isForged: boolean | null,
): JsonObject => ({
  kind: 'webhook.received',
  provider: event.provider,
  account: event.account,
  endpoint: 'default',
  headers: {
    ...event.headers,
    ...(isForged === null ? {} : signatureHeaders(event.provider, raw, receivedAt, isForged)),
  },
  body: raw,
  received_at: printInstant(receivedAt),
});

/** The record of a delivery as it is sent again: signed anew, and received when it came. */
export const webhookRecord = (
  value: JsonObject,
  headers: Readonly<Record<string, string>>,
  receivedAt: EpochMs,
): JsonObject => ({ ...value, headers: { ...headers }, received_at: printInstant(receivedAt) });

/** Somebody who knows the provider's form, not its key, and says that more money went. */
const forgeryOf = (random: Random, raw: string, refundId: string): string => {
  const other = refundId.replace(/.$/, (last) => (last === '7' ? '3' : '7'));
  const forged = random.chance(0.5) ? raw.replaceAll(refundId, other) : raw;
  return forged.replace(/"(PENDING|FAILED)"/g, '"COMPLETED"').replace(/"(pending|failed)"/g, '"succeeded"');
};

/** Numbers the records of one run. */
export class Numbering {
  #next = 0;

  item(about: Item['about'], topic: Item['topic'], value: JsonObject): Item {
    this.#next += 1;
    return makeItem(this.#next, about, topic, value);
  }
}

interface WorldEvent {
  /** of its stream of chance */
  readonly name: string;
  readonly refundId: string;
  readonly event: ProviderWebhook;
}

const eventsOf = (world: World): WorldEvent[] => [
  ...refundsOf(world).flatMap((refund) =>
    webhooksOf(refund).map((event, index) => ({ name: `event ${refund.id} ${index}`, refundId: refund.id, event })),
  ),
  ...world.payments
    .flatMap(({ reversals }) => reversals)
    .flatMap((reversal) => {
      const event = reversalWebhook(reversal);
      return event === null ? [] : [{ name: `reversal ${reversal.id}`, refundId: reversal.id, event }];
    }),
];

/** Everything that reaches the pipeline unasked: operation records, events, forgeries; delayed, repeated, lost. */
export const schedule = (world: World, weather: Weather, random: Random, numbering: Numbering): Delivered[] => {
  const out: Delivered[] = [];
  const push = (item: Item, at: EpochMs, doubled: number, chance: Random): void => {
    out.push({ at, item });
    while (chance.chance(doubled)) out.push({ at: at + chance.int(0, 600_000), item });
  };

  for (const operation of operationsOf(world)) {
    const chance = random.fork(`operation ${operation.id}`);
    const about = { kind: 'started' as const, operationId: operation.id };
    const started = numbering.item(about, 'operation-started', startedRecord(operation));
    push(started, operation.createdAt + 3 + delayMs(chance, weather.recordDelayMs), weather.recordDoubled, chance);
    for (const answer of operation.answers) {
      if (chance.chance(weather.actedLost)) continue;
      const told = { kind: 'acted' as const, operationId: operation.id, refundId: answer.refund?.id ?? null };
      const acted = numbering.item(told, 'operation-started', actedRecord(operation, answer));
      push(acted, answer.at + 3 + delayMs(chance, weather.recordDelayMs), weather.recordDoubled, chance);
    }
  }

  for (const { name, refundId, event } of eventsOf(world)) {
    const chance = random.fork(name);
    const raw = printJson(event.body);
    const facts = event.fact === null ? [] : [event.fact];
    const deliver = (receivedAt: EpochMs): void => {
      const record = firstRecord(event, raw, receivedAt, weather.isSigned ? false : null);
      out.push({ at: receivedAt + 2, item: numbering.item({ kind: 'event', facts }, 'webhook-received', record) });
    };
    const receivedAt = event.at + chance.int(30, 3000) + delayMs(chance, weather.eventDelayMs);
    if (!chance.chance(weather.eventLost)) {
      deliver(receivedAt);
      while (chance.chance(weather.eventDoubled)) deliver(receivedAt + chance.int(0, 900_000));
    }
    if (weather.isSigned && chance.chance(weather.forged)) {
      const at = event.at + chance.int(-2000, 600_000);
      const record = firstRecord(event, forgeryOf(chance, raw, refundId), at, true);
      out.push({ at: at + 2, item: numbering.item({ kind: 'forged' }, 'webhook-received', record) });
    }
  }
  return out.sort((a, b) => a.at - b.at || a.item.id - b.item.id);
};
