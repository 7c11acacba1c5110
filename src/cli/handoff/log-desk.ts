import { createHandoffLookup } from '../../console/handoff-lookup.ts';
import type { BatchDeps } from '../../consumers/batch-deps.ts';
import { decodeLogLine } from '../../consumers/decode-log-line.ts';
import { type DecodedRecord, isUndecodable } from '../../consumers/decoded-record.ts';
import { readLogFiles } from '../../drivers/files/log-file.ts';
import { createMemoryHandoffIndex } from '../../drivers/memory/handoff-index.ts';
import { ReplayEngine } from '../../drivers/memory/replay-engine.ts';
import { paymentKey } from '../../evaluator/index.ts';
import type { HandoffProofs } from '../../ports/handoff-proofs.ts';
import type { HandoffDesk } from './desk.ts';
import { intakeDesk } from './intake-desk.ts';

const chargeOf = ({ record }: DecodedRecord): { readonly ref: string; readonly key: string } | null => {
  if (record.kind !== 'charge.receipt') return null;
  const { provider, account, payment_id: paymentId, receipt_ref: ref } = record;
  return { ref, key: paymentKey({ provider, account, paymentId }) };
};

/**
 * What a log says, and what a plan on top of it would be: nothing is kept, so that it answers "what if" and no payment service.
 * @param now the time of the request, milliseconds since the epoch
 */
export const logDesk = async (
  deps: BatchDeps,
  proofs: HandoffProofs,
  files: readonly string[],
  now: number,
): Promise<HandoffDesk> => {
  const engine = new ReplayEngine(deps);
  const index = createMemoryHandoffIndex();
  for await (const batch of readLogFiles(files)) {
    const records = batch.map(({ decoded }) => decoded);
    for (const decoded of records) {
      const charge = isUndecodable(decoded) ? null : chargeOf(decoded);
      if (charge !== null) await index.charges.add(charge.ref, charge.key);
    }
    for (const { handoff_id: id, payment_key: key } of engine.apply(records).handoffs)
      await index.handoffs.add(id, key);
  }
  let asked = 0;
  return intakeDesk({
    producer: {
      source: '/countersign/cli/handoff',
      sink: {
        write: async (records) => {
          for (const { value } of records) {
            asked += 1;
            engine.apply([decodeLogLine('request', asked, value.toString('utf8'))]);
          }
        },
        close: async () => undefined,
      },
    },
    proofs,
    lookup: createHandoffLookup(index, async (key) => engine.stateOf(key)),
    clock: { now: () => now },
    waitMs: 0,
    close: async () => undefined,
  });
};
