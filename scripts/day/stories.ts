import type { Kit, Refund } from './kit.ts';
import type { Log } from './log.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** One refund's story: what happens, told as records from `start` on. */
export type Story = (log: Log, kit: Kit, operation: string, minor: number, currency: string, start: number) => void;

const made = (kit: Kit, operation: string, minor: number, currency: string, createdAt: number): Refund => {
  const payment = kit.paymentId(operation);
  const id = kit.refundId(operation, payment);
  return { id, payment, minor, currency, status: 'pending', createdAt, updatedAt: createdAt, operation };
};

const settledAt = (refund: Refund, at: number): Refund => ({ ...refund, status: 'settled', updatedAt: at });

/** Started, accepted, settled; seen by webhook and by reading it back. */
export const settled: Story = (log, kit, operation, minor, currency, start) => {
  const refund = made(kit, operation, minor, currency, start + 900);
  log.started(kit, operation, refund.payment, minor, currency, start);
  log.acted(kit, operation, refund, start + 1200);
  const done = settledAt(refund, start + 4 * SECOND);
  log.delivered(kit, kit.deliver(done, operation, start + 6 * SECOND), start + 6 * SECOND);
  log.read(kit, operation, refund, 1, start + 3200);
  log.read(kit, operation, done, 2, start + 28 * SECOND);
};

/** The same, and the provider delivers its webhook three times. */
export const redelivered: Story = (log, kit, operation, minor, currency, start) => {
  settled(log, kit, operation, minor, currency, start);
  const done = settledAt(made(kit, operation, minor, currency, start + 900), start + 4 * SECOND);
  for (const later of [40 * SECOND, 5 * MINUTE]) {
    log.delivered(kit, kit.deliver(done, operation, start + later), start + later);
  }
};

/** Accepted, and still pending at the end of the day. */
export const pending: Story = (log, kit, operation, minor, currency, start) => {
  const refund = made(kit, operation, minor, currency, start + 900);
  log.started(kit, operation, refund.payment, minor, currency, start);
  log.acted(kit, operation, refund, start + 1200);
  log.delivered(kit, kit.deliver(refund, operation, start + 6 * SECOND), start + 6 * SECOND);
  log.read(kit, operation, refund, 1, start + 3200);
  log.read(kit, operation, refund, 2, start + 40 * SECOND);
};

/** Two partial refunds of one payment, each its own operation: legitimate. */
export const partial: Story = (log, kit, operation, minor, currency, start) => {
  const halves = [`${operation}-a`, `${operation}-b`];
  for (const [index, half] of halves.entries()) {
    const from = start + index * 10 * MINUTE;
    const payment = kit.paymentId(operation);
    const refund: Refund = {
      ...made(kit, half, minor + index * 100, currency, from + 900),
      payment,
      id: kit.refundId(half, payment),
    };
    log.started(kit, half, payment, refund.minor, currency, from);
    log.acted(kit, half, refund, from + 1200);
    const done = settledAt(refund, from + 4 * SECOND);
    log.delivered(kit, kit.deliver(done, half, from + 6 * SECOND), from + 6 * SECOND);
    log.read(kit, half, done, 1, from + 28 * SECOND);
  }
};

/** The payment service tried again under a new key: the provider made a second refund of the same amount. */
export const doubled: Story = (log, kit, operation, minor, currency, start) => {
  settled(log, kit, operation, minor, currency, start);
  const payment = kit.paymentId(operation);
  const again: Refund = {
    ...made(kit, `${operation} again`, minor, currency, start + 9 * SECOND),
    payment,
    id: kit.refundId(`${operation} again`, payment),
    operation: `${operation}-retry`,
  };
  const done = settledAt(again, start + 12 * SECOND);
  log.delivered(kit, kit.deliver(done, `${operation} again`, start + 14 * SECOND), start + 14 * SECOND);
};

/** The provider refunded another amount than the intent said. */
export const wrongAmount: Story = (log, kit, operation, minor, currency, start) => {
  const refund = made(kit, operation, minor * 10, currency, start + 900);
  log.started(kit, operation, refund.payment, minor, currency, start);
  log.acted(kit, operation, refund, start + 1200);
  const done = settledAt(refund, start + 4 * SECOND);
  log.delivered(kit, kit.deliver(done, operation, start + 6 * SECOND), start + 6 * SECOND);
  log.read(kit, operation, done, 1, start + 28 * SECOND);
};

/** The webhook comes three hours late: until then the readback alone is not enough. */
export const lateWebhook: Story = (log, kit, operation, minor, currency, start) => {
  const refund = made(kit, operation, minor, currency, start + 900);
  log.started(kit, operation, refund.payment, minor, currency, start);
  log.acted(kit, operation, refund, start + 1200);
  const done = settledAt(refund, start + 4 * SECOND);
  log.read(kit, operation, done, 1, start + 28 * SECOND);
  log.delivered(kit, kit.deliver(done, operation, start + 3 * HOUR), start + 3 * HOUR);
};

/** The refund call timed out and nobody ever said what came of it. */
export const lostResponse: Story = (log, kit, operation, minor, currency, start) => {
  const payment = kit.paymentId(operation);
  log.started(kit, operation, payment, minor, currency, start);
  log.actionFailed(kit, operation, payment, { kind: 'timeout' }, start + 30 * SECOND);
};

/** Someone without the secret claims that the refund settled. */
export const forged: Story = (log, kit, operation, minor, currency, start) => {
  const refund = made(kit, operation, minor, currency, start + 900);
  log.started(kit, operation, refund.payment, minor, currency, start);
  log.acted(kit, operation, refund, start + 1200);
  const real = kit.deliver(settledAt(refund, start + 4 * SECOND), operation, start + 6 * SECOND);
  // The body is another one than was signed.
  log.delivered(kit, { ...real, body: `${real.body} ` }, start + 6 * SECOND);
  log.read(kit, operation, refund, 1, start + 28 * SECOND);
};

/** The provider's API is down for twenty minutes. */
export const outage: Story = (log, kit, operation, minor, currency, start) => {
  const refund = made(kit, operation, minor, currency, start + 900);
  log.started(kit, operation, refund.payment, minor, currency, start);
  log.acted(kit, operation, refund, start + 1200);
  const done = settledAt(refund, start + 4 * SECOND);
  for (const [index, later] of [4, 10, 25, 60].entries()) {
    log.readFailed(kit, operation, refund, index + 1, start + later * SECOND);
  }
  log.delivered(kit, kit.deliver(done, operation, start + 20 * MINUTE), start + 20 * MINUTE);
  log.read(kit, operation, done, 1, start + 20 * MINUTE + 5 * SECOND);
};

/** The bank sent the money back to the merchant. */
export const failed: Story = (log, kit, operation, minor, currency, start) => {
  const refund = made(kit, operation, minor, currency, start + 900);
  log.started(kit, operation, refund.payment, minor, currency, start);
  log.acted(kit, operation, refund, start + 1200);
  const dead: Refund = { ...refund, status: 'failed', updatedAt: start + 2 * MINUTE };
  log.read(kit, operation, refund, 1, start + 28 * SECOND);
  log.delivered(kit, kit.deliver(dead, operation, start + 2 * MINUTE), start + 2 * MINUTE + SECOND);
  log.read(kit, operation, dead, 2, start + 3 * MINUTE);
};
