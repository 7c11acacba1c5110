import pc from 'picocolors';
import type { VerdictRecord } from '../../evaluator/index.ts';
import type { CallMade } from '../../sandbox/http/answering.ts';
import type { Delivery } from '../../sandbox/outbox.ts';
import { paintVerdict, printable } from '../verdict-table.ts';
import type { Story } from './stories.ts';

const WIDTH = 20;

/** `mm:ss` of the demo's clock since its start */
const since = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
};

export const serviceLine = (ms: number, operation: string, what: string): string =>
  pc.dim(`${since(ms)}  ${operation.padEnd(WIDTH)}  service: ${what}`);

export const webhookLine = (ms: number, { type, provider, outcome, status }: Delivery): string =>
  pc.dim(`${since(ms)}  ${''.padEnd(WIDTH)}  ${provider}: ${type} ${outcome}${status === null ? '' : ` (${status})`}`);

export const verdictLine = (ms: number, verdict: VerdictRecord): string => {
  const word = paintVerdict(verdict.verdict) + ' '.repeat(Math.max(0, 12 - verdict.verdict.length));
  const kind = verdict.class === null ? '' : ` (${verdict.class})`;
  return `${since(ms)}  ${printable(verdict.operation_id).padEnd(WIDTH)}  ${word}  ${printable(verdict.reason)}${kind}`;
};

export const isAsExpected = ({ expected }: Story, last: VerdictRecord | undefined): boolean =>
  last !== undefined && last.verdict === expected.verdict && last.class === expected.class;

/** The last verdict of each story, why, and whether it is the one that the story must end in. */
export const endingLines = (
  stories: readonly Story[],
  lastOf: (operation: string) => VerdictRecord | undefined,
): string[] =>
  stories.flatMap((story) => {
    const last = lastOf(story.operation);
    const mark = isAsExpected(story, last)
      ? pc.green('as it should be')
      : pc.red(`should be ${story.expected.verdict}`);
    const word = last === undefined ? 'nothing' : paintVerdict(last.verdict);
    const moved =
      last?.money_moved === true
        ? 'the money moved'
        : last?.money_moved === false
          ? 'no money moved'
          : 'unknown whether money moved';
    return [
      `${pc.bold(story.operation)}: ${word}, ${mark}; ${moved}`,
      ...(last === undefined ? [] : [`  ${printable(last.detail === '' ? last.reason : last.detail)}`]),
    ];
  });

/** What went over the wires, in one line. */
export const trafficLine = (calls: readonly CallMade[], deliveries: readonly Delivery[]): string => {
  const reads = calls.filter(({ call }) => call !== 'refund.create' && call !== 'token').length;
  const failed = calls.filter(({ status }) => status === null || status >= 400).length;
  const of = (outcome: Delivery['outcome']): number => deliveries.filter((one) => one.outcome === outcome).length;
  return `${calls.length} provider calls (${reads} reads; ${failed} failed, limited or lost), webhooks: ${of('acknowledged')} taken, ${of('refused')} refused, ${of('lost')} lost`;
};
