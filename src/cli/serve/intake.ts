import type { EmbeddedDeadLetter, EmbeddedPipeline } from '../../drivers/memory/embedded-pipeline.ts';
import type { EmbeddedInput } from '../../drivers/memory/journal-entry.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** What became of a record: `applied` it is in the journal and in the state; `dead_letter` it is set aside, and why. */
export type RecordOutcome =
  | { readonly outcome: 'applied' }
  | { readonly outcome: 'dead_letter'; readonly code: ErrorCode; readonly reason: string };

/** The pipeline's door: takes records and says what became of each. */
export class Intake {
  readonly #pipeline: () => EmbeddedPipeline;
  readonly #clock: Clock;
  readonly #deadLetters = new Map<EmbeddedInput, EmbeddedDeadLetter>();
  readonly #waiting = new Map<symbol, number>();

  constructor(pipeline: () => EmbeddedPipeline, clock: Clock) {
    this.#pipeline = pipeline;
    this.#clock = clock;
  }

  /** Resolves when the records are on the disk and applied, with an outcome each, in order. Throws JOURNAL_UNWRITABLE. */
  async take(inputs: readonly EmbeddedInput[]): Promise<RecordOutcome[]> {
    const mark = Symbol('append');
    this.#waiting.set(mark, this.#clock.now());
    try {
      await this.#pipeline().append(inputs);
      return inputs.map((input): RecordOutcome => {
        const deadLetter = this.#deadLetters.get(input);
        if (deadLetter === undefined) return { outcome: 'applied' };
        return { outcome: 'dead_letter', code: deadLetter.code, reason: deadLetter.reason };
      });
    } finally {
      this.#waiting.delete(mark);
      for (const input of inputs) this.#deadLetters.delete(input);
    }
  }

  /** The pipeline has set a record aside. */
  deadLetter(deadLetter: EmbeddedDeadLetter): void {
    if (!deadLetter.isRecovered) this.#deadLetters.set(deadLetter.input, deadLetter);
  }

  /** For how long the oldest append has been waiting, milliseconds; 0 where none is. */
  get waitingMs(): number {
    const [oldest] = this.#waiting.values();
    return oldest === undefined ? 0 : this.#clock.now() - oldest;
  }
}
