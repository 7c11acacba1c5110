import type { VerdictRecord } from '../../../src/evaluator/index.ts';
import { auditChains, type ReceiptLine, verifyLines } from '../../../src/receipts/index.ts';
import { RECEIPTS_TOPIC, VERDICTS_TOPIC } from '../../../src/records/topics.ts';
import type { Breach } from '../oracle.ts';
import type { House } from './house.ts';

const breachOf = (text: string): Breach => ({ rule: 'receipts_broken', operationId: null, text });

const linesOf = (house: House, topic: string): ReceiptLine[] =>
  (house.cluster.logs.get(topic) ?? []).flatMap((log) =>
    log.committed().map(({ offset, value }) => {
      const at = `${topic}/${log.partition}:${offset}`;
      if (topic === RECEIPTS_TOPIC) return { at, text: value?.toString('utf8') ?? '' };
      return { at, text: house.registry.textOf(value) };
    }),
  );

/** The hashes that published verdicts say they are sealed by. */
const hashesOf = (verdicts: readonly ReceiptLine[]): Set<string> =>
  new Set(verdicts.flatMap(({ text }) => (JSON.parse(text) as VerdictRecord).receipt?.hash ?? []));

const difference = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((one) => !b.has(one));

/**
 * Audits what the house sealed, as an auditor does who has both topics and the public keys: every signature, every operation's
 * chain, every shard's chain, and that what is published and what is sealed are the same.
 */
export const checkSealing = async (house: House, isTransactional: boolean): Promise<Breach[]> => {
  if (!house.sealing.isOn) return [];
  const [verdicts, receipts] = [linesOf(house, VERDICTS_TOPIC), linesOf(house, RECEIPTS_TOPIC)];
  const { keys } = house.sealing;
  const options = { isPartial: false, allowsUnsealed: false };
  const published = await verifyLines(verdicts, keys, options);
  const logged = await verifyLines(receipts, keys, options);
  const problems = [...published.problems, ...logged.problems];
  // Without transactions two owners may seal side by side for a moment: the chain may fork, each operation's may not.
  if (isTransactional) problems.push(...auditChains(logged.receipts, [], false).problems);
  const [said, sealed] = [hashesOf(verdicts), new Set(logged.receipts.map(({ receipt }) => receipt.hash))];
  return [
    ...problems.map(({ code, at, detail }) => breachOf(`${code} at ${at}: ${detail}`)),
    ...difference(said, sealed).map((hash) =>
      breachOf(`a published verdict names the receipt ${hash}, which is not there`),
    ),
    ...difference(sealed, said).map((hash) => breachOf(`the receipt ${hash} seals no verdict that is published`)),
  ];
};
