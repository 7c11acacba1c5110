import { type Check, checksOf } from './check.ts';

const { ok, warn, fail } = checksOf('permissions');

/**
 * Who may write what: a payment service writes `operation-started` alone, or it could confirm its own refunds.
 * @param writers topic (without prefix) → principals that may write to it; null: there is no authorizer
 * @param self our own principal, which may write everywhere; null: we do not log in
 */
export const checkWriters = (writers: ReadonlyMap<string, readonly string[]> | null, self: string | null): Check[] => {
  if (writers === null) {
    return [
      warn(
        'not checkable: no authorizer',
        'Anybody who reaches the brokers may write evidence. Switch an authorizer on, and let payment services write operation-started alone.',
      ),
    ];
  }
  const services = new Set((writers.get('operation-started') ?? []).filter((principal) => principal !== self));
  const checks: Check[] = [];
  for (const [topic, principals] of writers) {
    if (topic === 'operation-started') {
      checks.push(
        services.size === 0
          ? warn('nobody but us may write operation-started', 'Allow the payment services to write it.')
          : ok(`operation-started may be written by ${[...services].join(', ')}`),
      );
      continue;
    }
    const everybody = principals.includes('User:*');
    const both = principals.filter((principal) => services.has(principal) && principal !== self);
    const others = principals.filter((principal) => !both.includes(principal) && principal !== self);
    if (everybody)
      checks.push(fail(`${topic} may be written by anybody`, `Take the access list for User:* off ${topic}.`));
    else if (both.length > 0) {
      checks.push(
        fail(
          `${topic} may be written by ${both.join(', ')}, who may write operation-started as well`,
          `Take it away: who says that a refund was made must not write ${topic}.`,
        ),
      );
    } else checks.push(ok(`${topic} may be written by ${others.length === 0 ? 'us alone' : others.join(', ')}`));
  }
  return checks;
};
