import type { Observation, ProviderName, RefundFacts } from '../evaluator/index.ts';

const PROVIDERS: Readonly<Record<ProviderName, string>> = {
  paypal: 'PayPal',
  square: 'Square',
  shopify: 'Shopify',
  stripe: 'Stripe',
};

/** Amounts of these providers are whole numbers of the currency's smallest unit. */
const IN_MINOR_UNITS: ReadonlySet<ProviderName> = new Set(['square', 'stripe']);

/** `10.00 USD`; of Square and Stripe `1000 USD (smallest units)`. */
export const sayMoney = (provider: ProviderName, amount: string, currency: string | null): string => {
  const money = currency === null ? amount : `${amount} ${currency}`;
  return IN_MINOR_UNITS.has(provider) ? `${money} (smallest units)` : money;
};

const sayRefund = (provider: ProviderName, facts: RefundFacts): string => {
  const parts = [`refund ${facts.refundId}`];
  if (facts.amount !== null) parts.push(`of ${sayMoney(provider, facts.amount, facts.currency)}`);
  if (facts.status !== null) parts.push(`with status ${facts.status}`);
  return parts.join(' ');
};

const sayIntent = (input: Readonly<Record<string, unknown>>, provider: ProviderName): string => {
  const amount = input['amount'];
  const currency = input['currency_code'] ?? input['currency'];
  if (typeof amount !== 'string' && typeof amount !== 'number' && typeof amount !== 'bigint') return 'a refund';
  return `a refund of ${sayMoney(provider, String(amount), typeof currency === 'string' ? currency : null)}`;
};

/**
 * What one record says, as a sentence that a support agent can read.
 * @param operationId the operation the story is about; another one is named
 */
export const sayObservation = (observation: Observation, provider: ProviderName, operationId: string): string => {
  const who = PROVIDERS[provider];
  const whose = (id: string): string => (id === operationId ? 'this operation' : `operation ${id}`);
  switch (observation.kind) {
    case 'started': {
      const { contract, input, refused } = observation;
      const version = contract.version === null ? '' : ` ${contract.version}`;
      const what = `The payment service started ${whose(observation.operationId)}: ${sayIntent(input, provider)}, under ${contract.id}${version}.`;
      return refused === null ? what : `${what} The start is refused (${refused.code}): ${refused.detail}`;
    }
    case 'acted': {
      const { error, facts } = observation;
      if (error === null) {
        const said = facts === null ? 'an answer that names no refund' : sayRefund(provider, facts);
        return `${who} answered the refund call of ${whose(observation.operationId)}: ${said}.`;
      }
      const status = [error.httpStatus === null ? [] : [`HTTP ${error.httpStatus}`], error.code ?? []]
        .flat()
        .join(', ');
      const why = status === '' ? '' : ` (${status})`;
      return error.kind === 'declined'
        ? `${who} declined the refund call of ${whose(observation.operationId)}${why}.`
        : `The refund call of ${whose(observation.operationId)} ended without an answer: ${error.kind}${why}. The refund may have been made all the same.`;
    }
    case 'event': {
      const about = observation.facts === null ? '' : ` about ${sayRefund(provider, observation.facts)}`;
      const role =
        observation.role === 'reversal' || observation.role === 'dispute'
          ? ` It is a ${observation.role}, not a refund by the merchant.`
          : '';
      return `${who} sent the event ${observation.type}${about}.${role}`;
    }
    case 'read': {
      const asked = observation.isList
        ? "the payment's refunds"
        : observation.resourceId === null
          ? 'the refund'
          : `refund ${observation.resourceId}`;
      const head = `Countersign read ${asked} from ${who} for ${whose(observation.operationId)} (${observation.channel})`;
      if (observation.outcome === 'absent') return `${head}: ${who} has no such thing.`;
      if (observation.outcome === 'error') return `${head}, which failed: ${observation.error?.kind ?? 'unknown'}.`;
      const facts = observation.facts.map((one) => sayRefund(provider, one));
      return `${head}: ${facts.length === 0 ? 'no refund' : facts.join('; ')}.`;
    }
    case 'receipt': {
      const proven = observation.standing === 'proven' ? 'is proven' : `is ${observation.standing}: ${observation.why}`;
      return `The ${observation.of} receipt ${observation.receiptRef} came in; it ${proven}.`;
    }
    case 'handoff': {
      const { amount, currency, chargeRef } = observation.terms;
      return `A plan to refund ${amount} ${currency} of the charge ${chargeRef} was asked for.`;
    }
    case 'review':
      return `${observation.reviewer} reviewed ${whose(observation.operationId)} and decided ${observation.decision}: ${observation.reason}`;
  }
};
