import { JsonLinesFile } from '../../drivers/files/json-lines-file.ts';
import type { PublishedVerdict } from '../../drivers/memory/embedded-pipeline.ts';
import { printJson } from '../../records/json-text.ts';

/**
 * Where the embedded pipeline publishes: a file of verdicts, one a line. The pipeline tells a revision again when its journal is
 * replayed; what the file holds already is not written a second time, and what a crash kept out of it is written then.
 */
export class VerdictLog {
  readonly #file: JsonLinesFile;
  readonly #echo: ((line: string) => void) | null;
  /** operation → its last revision in the file; only until the journal is replayed */
  #held: Map<string, number> | null;

  private constructor(file: JsonLinesFile, held: Map<string, number>, echo: ((line: string) => void) | null) {
    this.#file = file;
    this.#held = held;
    this.#echo = echo;
  }

  /**
   * Throws JOURNAL_UNWRITABLE.
   * @param echo hears every line that is added
   */
  static async open(path: string, echo: ((line: string) => void) | null): Promise<VerdictLog> {
    const held = new Map<string, number>();
    const file = await JsonLinesFile.open(path, (line) => {
      const { payment_key: key, operation_id: id, revision } = JSON.parse(line) as Record<string, unknown>;
      const operation = `${String(key)}/${String(id)}`;
      held.set(operation, Math.max(held.get(operation) ?? 0, Number(revision)));
    });
    return new VerdictLog(file, held, echo);
  }

  /** Takes a revision; answers whether it is a new line. */
  take({ verdict, isRecovered }: PublishedVerdict): boolean {
    const operation = `${verdict.payment_key}/${verdict.operation_id}`;
    if (isRecovered && (this.#held?.get(operation) ?? 0) >= verdict.revision) return false;
    const line = printJson(verdict as never);
    this.#file.append(line);
    this.#echo?.(line);
    return true;
  }

  /** The journal is replayed: every further revision is new. */
  recovered(): void {
    this.#held = null;
  }

  close(): void {
    this.#file.close();
  }
}
