import { questionOf } from '../../console/review-queue.ts';
import { type ErrorCode, OperatingError } from '../../errors.ts';
import type { VerdictRecord } from '../../evaluator/index.ts';
import { parseJsonText } from '../../records/json-text.ts';
import type { ReviewDesk } from './desk.ts';

const TIMEOUT_MS = 30_000;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The queue as a running `countersign serve` has it; decisions go to it as well. */
export const httpDesk = (url: string): ReviewDesk => {
  const base = url.replace(/\/+$/, '');
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    try {
      const response = await fetch(`${base}${path}`, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      return { status: response.status, body: parseJsonText(await response.text()) as unknown as Answer['body'] };
    } catch (cause) {
      throw new OperatingError('STATE_UNAVAILABLE', `countersign serve at ${base} does not answer`, { cause });
    }
  };
  return {
    questions: async () => {
      const { body } = await ask('/v1/operations?escalated=true');
      const verdicts = [...((body['verdicts'] ?? []) as VerdictRecord[])];
      return verdicts.sort((a, b) => Date.parse(a.decided_at) - Date.parse(b.decided_at)).map(questionOf);
    },
    latest: async (operation) => {
      const { status, body } = await ask(`/v1/operations/${encodeURIComponent(operation)}`);
      return status === 200 ? (body['verdict'] as VerdictRecord) : null;
    },
    producer: async () => ({
      sink: {
        write: async (records) => {
          for (const { value } of records) {
            const headers = { 'content-type': 'application/json' };
            const sent = { method: 'POST', headers, body: value.toString('utf8') };
            const { status, body } = await ask('/v1/records', sent);
            const [taken] = (body['records'] ?? []) as { outcome: string; code: ErrorCode; reason: string }[];
            if (taken === undefined) {
              const problem = `countersign serve answered ${status}: ${String(body['detail'] ?? body['title'])}`;
              throw new OperatingError('STATE_UNAVAILABLE', problem);
            }
            if (taken.outcome !== 'applied') throw new OperatingError(taken.code, taken.reason);
          }
        },
        close: async () => undefined,
      },
    }),
    close: async () => undefined,
  };
};
