import type { EpochMs, ProviderName } from '../../src/evaluator/index.ts';
import type { Random } from './random.ts';
import { type PaymentDraft, playStory } from './stories.ts';
import type { TruePayment, World } from './world.ts';

const START: EpochMs = Date.parse('2026-09-01T12:00:00.000Z');
const DAY_MS = 86_400_000;
const PROVIDERS: readonly ProviderName[] = ['paypal', 'square', 'shopify', 'stripe'];
const CAPITALS = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';
const DIGITS = '0123456789';

const paymentId = (random: Random, provider: ProviderName): string => {
  switch (provider) {
    case 'paypal':
      return random.text(CAPITALS, 17);
    case 'square':
      return random.text(CAPITALS, 22);
    case 'shopify':
      // beyond 2^53, as Shopify's are
      return `gid://shopify/Order/${random.int(1, 8)}${random.text(DIGITS, 18)}`;
    case 'stripe':
      return `ch_${random.text(CAPITALS, 16)}`;
  }
};

export const drawPayment = (random: Random, provider: ProviderName): TruePayment => ({
  provider,
  account: 'merchant-1',
  id: paymentId(random, provider),
  currency: random.pick(['USD', 'USD', 'USD', 'EUR', 'JPY', 'KWD']),
  orderId: provider === 'paypal' && random.chance(0.75) ? random.text(CAPITALS, 17) : null,
  skewMs: random.pick([0, 0, random.int(-59_000, 59_000), random.int(-59_950, -58_900), 59_900]),
  refunds: [],
  reversals: [],
  operations: [],
});

/** How long the next story waits: at once, some seconds, some minutes, some hours. */
const gapMs = (random: Random): number =>
  random.pick([
    random.int(20, 900),
    random.int(1000, 20_000),
    random.int(60_000, 600_000),
    random.int(1, 8) * 3_600_000,
  ]);

/** Now and then a bank takes back just what an operation refunds, in the hours after it. */
const drawReversal = (random: Random, payment: TruePayment): void => {
  if (payment.provider !== 'paypal' || payment.operations.length === 0 || !random.chance(0.2)) return;
  const { money, createdAt } = random.pick(payment.operations);
  const at = createdAt + random.int(1_000, 7_200_000);
  const changes = [{ at, standing: 'complete' as const }];
  const id = random.text(CAPITALS, 17);
  payment.reversals.push({ id, payment, money, madeBy: null, changes, splitMs: 0, echo: null });
};

/** Draws a world: one to `most` payments of the merchant's, each with one to four stories of refunds. */
export const drawWorld = (random: Random, most: number): World => {
  const payments: TruePayment[] = [];
  const isOneProvider = random.chance(0.5) ? random.pick(PROVIDERS) : null;
  const count = random.int(1, most);
  for (let index = 0; index < count; index += 1) {
    const provider = isOneProvider ?? random.pick(PROVIDERS);
    const payment = drawPayment(random, provider);
    const bystander = drawPayment(random, provider);
    const draft: PaymentDraft = { payment, bystander, number: index + 1, amounts: new Set() };
    let at = START + random.int(0, 3_600_000);
    const stories = random.int(1, random.chance(0.2) ? 4 : 2);
    for (let story = 0; story < stories; story += 1) {
      at = playStory(random, draft, at) + gapMs(random);
    }
    drawReversal(random.fork(`reversal ${index}`), payment);
    payments.push(payment);
    if (bystander.refunds.length > 0) payments.push(bystander);
  }
  return { payments, startsAt: START, endsAt: START + 25 * DAY_MS };
};
