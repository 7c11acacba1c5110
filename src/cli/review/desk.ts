import type { ReviewQuestion } from '../../console/review-queue.ts';
import type { VerdictRecord } from '../../evaluator/index.ts';
import type { ProducerOptions } from '../../producers/outgoing.ts';

/** Where a reviewer sits: what waits, what an operation's last verdict is, and where a decision goes. */
export interface ReviewDesk {
  /** oldest first */
  questions(): Promise<readonly ReviewQuestion[]>;
  /** The last verdict of `<payment key>/<operation id>`; null where there is none. */
  latest(operation: string): Promise<VerdictRecord | null>;
  /** what the decision's producer is made with */
  producer(): Promise<Omit<ProducerOptions, 'source'>>;
  close(): Promise<void>;
}
