import type { HandoffDecided, JsonObject } from '../../evaluator/index.ts';
import type { HandoffAnswer } from '../../producers/gateway/handoff-intake.ts';

/** Where plans are asked for: a server, a data folder, Kafka, or a log. */
export interface HandoffDesk {
  ask(body: JsonObject): Promise<HandoffAnswer>;
  /** null: no answer to it is known there */
  show(handoffId: string): Promise<HandoffDecided | null>;
  close(): Promise<void>;
}
