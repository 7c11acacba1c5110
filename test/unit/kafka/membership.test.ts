import { expect, it } from 'vitest';
import { Membership } from '../../../src/drivers/kafka/membership.ts';

const membership = (): Membership => new Membership({ heartbeatIntervalMs: 3_000, sessionTimeoutMs: 30_000 });

it('is lost once fetches have gone on for a session without a heartbeat', () => {
  const member = membership();
  for (let at = 0; at <= 30_000; at += 500) expect(member.isLostAt(at)).toBe(false);
  expect(member.isLostAt(30_500)).toBe(true);
});

it('is not lost while heartbeats are answered, however seldom', () => {
  const member = membership();
  for (let at = 0; at <= 300_000; at += 500) {
    expect(member.isLostAt(at)).toBe(false);
    if (at % 29_500 === 0) member.confirmed();
  }
});

it('is not lost by a pause, after which the next heartbeat tells', () => {
  const member = membership();
  member.isLostAt(0);
  expect(member.isLostAt(600_000)).toBe(false);
});

it('is not lost by a clock that goes back', () => {
  const member = membership();
  member.isLostAt(600_000);
  for (let at = 0; at <= 27_000; at += 500) expect(member.isLostAt(at)).toBe(false);
});
