import { type EpochMs, printInstant } from '../../../src/evaluator/index.ts';
import type { ReceiptSealer } from '../../../src/ports/receipt-sealer.ts';
import { createReceiptSealer, type KeyRecord, KeySet } from '../../../src/receipts/index.ts';
import { RECEIPTS_TOPIC } from '../../../src/records/topics.ts';
import type { Beside } from './beside.ts';
import { fixedKey } from './fixed-key.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';

/** How long before the second key is in force its processes know of it; after, where they learn it late. */
const KNOWN_BEFORE_MS = 600_000;
const LEARNT_LATE_MS = 240_000;
const SEALS_WITHIN_MS = 1;

const keyRecord = (kid: string, more: Partial<KeyRecord>): KeyRecord => {
  const { x, d } = fixedKey(kid);
  return { kty: 'OKP', crv: 'Ed25519', kid, x, d, ...more };
};

/** The keys of a house, as its processes know them at a time and as an auditor knows them in the end. */
export class Sealing {
  readonly isOn: boolean;
  /** all keys there ever were */
  readonly keys: KeySet;
  readonly #first: KeySet;
  readonly #learntAt: EpochMs;

  constructor({ sealing, rotatesAfterMs }: Beside, startsAt: EpochMs) {
    this.isOn = sealing !== 'none';
    const at = startsAt + rotatesAfterMs;
    const isRotated = sealing === 'rotated' || sealing === 'late';
    const from = printInstant(at);
    const first = keyRecord('seal-1', isRotated ? { not_after: from } : {});
    this.#first = new KeySet([first]);
    this.keys = isRotated ? new KeySet([first, keyRecord('seal-2', { not_before: from })]) : this.#first;
    this.#learntAt = sealing === 'late' ? at + LEARNT_LATE_MS : at - KNOWN_BEFORE_MS;
  }

  /** What a process seals with; null: nothing is sealed. */
  sealerOf(scheduler: Scheduler, process: SimProcess): ReceiptSealer | null {
    if (!this.isOn) return null;
    const keys = async () => (scheduler.now >= this.#learntAt ? this.keys : this.#first);
    return inSimulatedTime(createReceiptSealer(RECEIPTS_TOPIC, keys), scheduler, process);
  }
}

/** Signatures come from threads of the real machine, in any order; here each takes the same time. */
const inSimulatedTime = (sealer: ReceiptSealer, scheduler: Scheduler, process: SimProcess): ReceiptSealer => {
  const taken = <T>(work: Promise<T>): Promise<T> => {
    scheduler.waitFor(work);
    return new Promise((resolve, reject) => {
      scheduler.after(SEALS_WITHIN_MS, () => process.pass(() => void work.then(resolve, reject)));
    });
  };
  return {
    link: (reduce, held) => sealer.link(reduce, held),
    seal: (...given) => taken(sealer.seal(...given)),
    open: (...given) => taken(sealer.open(...given)),
  };
};
