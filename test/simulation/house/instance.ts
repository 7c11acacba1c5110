import type { SimProcess } from './sim-process.ts';

/** A running role of the house. */
export interface Instance {
  readonly process: SimProcess;
  /** whether it has work in hand; while it does, no calm is skipped */
  isBusy(): boolean;
  /** SIGTERM */
  stop(): Promise<void>;
}
