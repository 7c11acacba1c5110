import { SEQUENCE_HEADER } from '../../../src/drivers/kafka/verdict-messages.ts';
import { type EpochMs, type JsonObject, paymentKey, type VerdictRecord } from '../../../src/evaluator/index.ts';
import { HANDOFFS_TOPIC, VERDICTS_TOPIC } from '../../../src/records/topics.ts';
import type { Item } from '../item.ts';
import type { Breach } from '../oracle.ts';
import { type Run, redeliver } from '../run.ts';
import type { House } from './house.ts';
import type { HouseMix } from './mix.ts';
import { BURST, CONCURRENCY } from './readback-instance.ts';

const breachOf = (rule: Breach['rule'], text: string): Breach => ({ rule, operationId: null, text });

/** Each verdict stands after those that the store numbered before it. */
const sequences = (house: House, topic: string): Breach[] =>
  (house.cluster.logs.get(topic) ?? []).flatMap((log) => {
    let last = 0;
    return log.committed().flatMap(({ offset, headers }): Breach[] => {
      const sequence = Number(headers[SEQUENCE_HEADER]?.toString('utf8'));
      const isInOrder = sequence > last;
      last = Math.max(last, sequence);
      return isInOrder
        ? []
        : [breachOf('sequence_broken', `${topic}/${log.partition}@${offset} has sequence ${sequence} after ${last}`)];
    });
  });

/** Consumed is applied, dead-lettered or re-keyed: what a replay refuses is in dead-letter with its code, and nothing else is. */
const deadLetters = (house: House, run: Run): Breach[] => {
  const found = house.records.deadLetters();
  const expected = new Map<string, string>();
  for (const { name, fate, code } of house.records.all()) if (fate === 'dead-letter') expected.set(name, code ?? '');
  const refused = redeliver(run, run.delivered).deadLetters;
  for (const { item } of run.delivered) {
    const code = refused.get(item.id);
    const { topic, partition, offset } = item.decoded.source;
    if (code !== undefined) expected.set(`${topic}/${partition}@${offset}`, code);
  }
  const breaches: Breach[] = [];
  for (const [name, code] of expected)
    if (found.get(name) !== code)
      breaches.push(
        breachOf('dead_letters_differ', `${name} is ${found.get(name) ?? 'not in dead-letter'}, should be ${code}`),
      );
  for (const [name, code] of found)
    if (!expected.has(name))
      breaches.push(breachOf('dead_letters_differ', `${name} is dead-lettered as ${code} and is good`));
  return breaches;
};

/** Names a record by what its sender said, whatever was added on the way. */
const said = ({ about, value }: Item): string => {
  if (about.kind !== 'started' && about.kind !== 'acted') return `event ${value['body']}`;
  const action = value['action'] as JsonObject | undefined;
  return `${about.kind} ${about.operationId} ${action?.['completed_at'] ?? ''}`;
};

/** What a gateway or the log has acknowledged is in the log. */
const kept = (house: House, run: Run): Breach[] => {
  const there = new Set(run.delivered.map(({ item }) => said(item)));
  return house.outside.acknowledged
    .filter((item) => !there.has(said(item)))
    .map((item) => breachOf('lost', `${item.about.kind} #${item.id} was acknowledged and is not in the log`));
};

/** Together the workers keep to each account's rate, and each to its calls at once. */
const rates = (house: House, mix: HouseMix): Breach[] => {
  const breaches: Breach[] = [];
  for (const [name, most] of house.providers.busiest)
    if (most > CONCURRENCY)
      breaches.push(breachOf('rate_exceeded', `${name}: ${most} calls at once, at most ${CONCURRENCY}`));
  for (const account of new Set(house.providers.calls.map((call) => call.account))) {
    const times = house.providers.calls.filter((call) => call.account === account).map(({ at }) => at);
    for (const windowMs of [1_000, 5_000, 30_000]) {
      const most = callsAllowed(mix, windowMs);
      const count = busiestWindow(times, windowMs);
      if (count > most)
        breaches.push(breachOf('rate_exceeded', `${account}: ${count} calls in ${windowMs} ms, at most ${most}`));
    }
  }
  return breaches;
};

/** The bucket's, and what was granted before and is made late: the way to a call takes time, and a stopped worker makes it wait. */
const callsAllowed = ({ ratePerSecond, workers, faults }: HouseMix, windowMs: number): number => {
  const areLate = faults.some(({ kind }) => kind === 'pause' || kind === 'flaky' || kind === 'redis-away');
  return BURST + 1 + (areLate ? CONCURRENCY * workers : 0) + Math.ceil((ratePerSecond * (windowMs + 1_000)) / 1000);
};

const busiestWindow = (times: readonly EpochMs[], windowMs: number): number => {
  let [first, most] = [0, 0];
  for (const [index, at] of times.entries()) {
    while ((times[first] ?? at) < at - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
};

/** State and published verdicts belong together: the last of each is what the state says was published. */
const published = (run: Pick<Run, 'verdicts' | 'states'>): Breach[] => {
  const last = new Map<string, VerdictRecord>();
  for (const { verdict } of run.verdicts) last.set(`${verdict.payment_key}/${verdict.operation_id}`, verdict);
  return [...run.states.values()].flatMap((state) =>
    Object.entries(state.operations).flatMap(([id, operation]): Breach[] => {
      const key = `${paymentKey(state)}/${id}`;
      const [known, told] = [operation.published.at(-1)?.revision ?? 0, last.get(key)?.revision ?? 0];
      if (known === told) return [];
      return [
        {
          rule: 'lost',
          operationId: id,
          text: `the state says that revision ${known} is published, the topic ends at ${told}`,
        },
      ];
    }),
  );
};

/**
 * What the end of a house's run can tell. Each is a function of the house (its logs, its state, what its providers saw), so that what
 * comes to be published besides verdicts gets a line of its own here.
 */
export const checkHouse = (
  house: House,
  run: Run,
  mix: HouseMix,
  strangers: readonly string[],
  others: Pick<Run, 'verdicts' | 'states'>,
): Breach[] => [
  ...strangers.map((name) => breachOf('lost', `nobody sent ${name}`)),
  ...(mix.isTransactional ? [VERDICTS_TOPIC, HANDOFFS_TOPIC].flatMap((topic) => sequences(house, topic)) : []),
  ...deadLetters(house, run),
  ...kept(house, run),
  ...rates(house, mix),
  ...published(run),
  ...published(others),
];
