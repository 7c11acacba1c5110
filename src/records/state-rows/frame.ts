import type { Json, Source } from '../../evaluator/index.ts';
import { type Cell, row, text } from './cells.ts';

/** Both directions share what is said once for the whole payment. */
export class Frame {
  readonly base: number;
  readonly paymentId: string;
  readonly topics: string[];

  constructor(base: number, paymentId: string, topics: string[]) {
    this.base = base;
    this.paymentId = paymentId;
    this.topics = topics;
  }

  packSource({ topic, partition, offset }: Source): Json[] {
    let index = this.topics.indexOf(topic);
    if (index < 0) index = this.topics.push(topic) - 1;
    return [index, partition, /^(?:0|[1-9]\d{0,14})$/.test(offset) ? Number(offset) : offset];
  }

  unpackSource(cell: Cell): Source {
    const [index, partition, offset] = row(cell);
    return { topic: text(this.topics[index as number]), partition: partition as number, offset: String(offset) };
  }

  packTime(at: number | null): number | null {
    return at === null ? null : this.base - at;
  }

  time(cell: Cell): number {
    return this.base - (cell as number);
  }

  timeOrNull(cell: Cell): number | null {
    return cell === null || cell === undefined ? null : this.time(cell);
  }
}
