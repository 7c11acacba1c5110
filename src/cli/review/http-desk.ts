import type { PresentState } from '../../console/present.ts';
import { oldestFirst, questionOf, type ReviewQuestion } from '../../console/review-queue.ts';
import { type ErrorCode, OperatingError } from '../../errors.ts';
import type { VerdictRecord } from '../../evaluator/index.ts';
import { parseJsonText } from '../../records/json-text.ts';
import type { ReviewDesk } from './desk.ts';

const TIMEOUT_MS = 30_000;

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is read of an operation as HTTP tells it (see `operation-json.ts`). */
interface ToldOperation {
  readonly verdict: VerdictRecord;
  readonly present: PresentState | null;
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
  const operation = async (key: string): Promise<ToldOperation | null> => {
    const { status, body } = await ask(`/v1/operations/${encodeURIComponent(key)}`);
    return status === 200 ? (body as unknown as ToldOperation) : null;
  };
  return {
    questions: async () => {
      const { body } = await ask('/v1/operations?escalated=true');
      const questions: ReviewQuestion[] = [];
      for (const verdict of oldestFirst((body['verdicts'] ?? []) as VerdictRecord[])) {
        const told = await operation(`${verdict.payment_key}/${verdict.operation_id}`);
        // It may have been decided while the others were asked for.
        const isSame = told?.verdict.verdict_id === verdict.verdict_id;
        questions.push(questionOf(verdict, isSame ? told.present : null));
      }
      return questions;
    },
    latest: async (key) => (await operation(key))?.verdict ?? null,
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
