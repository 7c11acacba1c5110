import { judgedAt, presentOf } from '../../console/present.ts';
import { oldestFirst, questionOf, type ReviewQuestion } from '../../console/review-queue.ts';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { type EmbeddedDeadLetter, EmbeddedPipeline } from '../../drivers/memory/embedded-pipeline.ts';
import { replayJournal } from '../../drivers/memory/read-journal.ts';
import { OperatingError } from '../../errors.ts';
import { systemClock } from '../../ports/clock.ts';
import type { DataFolder } from '../serve/data-folder.ts';
import type { ReviewDesk } from './desk.ts';

/**
 * The queue as a journal has it while nobody serves it. Looking replays it in memory; a decision is added to it, and the next
 * `serve` publishes what comes of it.
 */
export const embeddedDesk = (deps: BatchDeps, folder: DataFolder): ReviewDesk => {
  let looked: Promise<EmbeddedPipeline> | null = null;
  let opened: EmbeddedPipeline | null = null;
  const look = (): Promise<EmbeddedPipeline> => {
    looked ??= replayJournal(deps, folder.journal);
    return looked;
  };
  return {
    questions: async () => {
      const pipeline = await look();
      const waiting = oldestFirst([...pipeline.operations.list({ isEscalated: true })].map(({ last }) => last));
      const questions: ReviewQuestion[] = [];
      for (const verdict of waiting) {
        const state = await pipeline.stateOf(verdict.payment_key);
        const judged = state === null ? null : judgedAt(deps.contracts, state, verdict.operation_id, pipeline.now);
        questions.push(questionOf(verdict, presentOf(verdict, judged, pipeline.now)));
      }
      return questions;
    },
    latest: async (operation) => (opened ?? (await look())).operations.get(operation)?.last ?? null,
    producer: async () => {
      const refused: EmbeddedDeadLetter[] = [];
      const pipeline = await EmbeddedPipeline.open({
        deps,
        clock: systemClock,
        journal: folder.journal,
        onWarning: (message) => process.stderr.write(`countersign: ${message}\n`),
        onDeadLetter: (deadLetter) => {
          if (!deadLetter.isRecovered) refused.push(deadLetter);
        },
      });
      opened = pipeline;
      return {
        sink: {
          write: async (records) => {
            await pipeline.append(
              records.map(({ topic, key, value, headers }) => ({ topic, key, value: value.toString('utf8'), headers })),
            );
            const [first] = refused;
            if (first !== undefined) throw new OperatingError(first.code, first.reason);
          },
          close: async () => undefined,
        },
      };
    },
    close: async () => {
      await opened?.close();
    },
  };
};
