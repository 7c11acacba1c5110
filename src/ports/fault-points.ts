/** The places around each stage of a shard's work, and of a readback, at which a test may end the process. */
export type FaultPoint =
  | 'before-decode'
  | 'after-decode'
  | 'before-dead-letter'
  | 'after-dead-letter'
  | 'before-commit'
  | 'after-commit'
  | 'before-publish'
  | 'publish-begun'
  | 'publish-sent'
  | 'before-offset'
  | 'after-offset'
  | 'after-publish'
  | 'after-trim'
  | 'read-answered'
  | 'read-published';

/** Crash tests put a killer behind this port; everywhere else it is {@link noFaults}. */
export interface FaultPoints {
  hit(point: FaultPoint): void | Promise<void>;
}

export const noFaults: FaultPoints = { hit: () => undefined };
