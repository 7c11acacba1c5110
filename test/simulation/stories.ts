import type { EpochMs } from '../../src/evaluator/index.ts';
import type { Random } from './random.ts';
import type { Change, Money, TrueAnswer, TrueOperation, TruePayment, TrueRefund } from './world.ts';
import { createdAt } from './world.ts';

/** A payment whose stories are being written. */
export interface PaymentDraft {
  readonly payment: TruePayment;
  /** another payment of the same account, for what goes astray */
  readonly bystander: TruePayment;
  readonly number: number;
  /** amounts in use: two operations share one only where a story means it */
  readonly amounts: Set<bigint>;
}

const SECOND_MS = 1000;
/** Beyond what a skewed provider clock (60 s) and the contracts' own allowance for it (60 s) could blur. */
const CLEARLY_MS = 200_000;
/** The second half of a split refund is there before the stale read window (20 s) less the worst lag of a read (15 s) ends. */
const SPLIT_MS = 4500;
const DIGITS = '0123456789';
const CAPITALS = 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789';

const freshMoney = (random: Random, draft: PaymentDraft): Money => {
  // Square states int64: beyond 2^53 now and then.
  const isHuge = draft.payment.provider === 'square' && random.chance(0.1);
  for (;;) {
    const minor = isHuge ? 9_007_199_254_740_993n + BigInt(random.int(0, 1_000_000)) : BigInt(random.int(1, 90_000));
    if (draft.amounts.has(minor)) continue;
    draft.amounts.add(minor);
    return { minor, currency: draft.payment.currency };
  }
};

const refundId = (random: Random, payment: TruePayment): string => {
  switch (payment.provider) {
    case 'paypal':
      return random.text(CAPITALS, 17);
    case 'square':
      return `${payment.id}_${random.text(CAPITALS, 20)}`;
    case 'shopify':
      return `gid://shopify/Refund/${random.int(1, 8)}${random.text(DIGITS, 18)}`;
    case 'stripe':
      return `re_${random.text(CAPITALS, 16)}`;
  }
};

/** How long a refund stays on its way. Some take longer than the contract waits. */
const pendingMs = (random: Random): number =>
  random.pick([
    random.int(2, 90) * SECOND_MS,
    random.int(2, 90) * SECOND_MS,
    random.int(2, 50) * 60_000,
    random.int(1, 60) * 3_600_000,
    random.int(4, 10) * 86_400_000,
  ]);

const life = (random: Random, payment: TruePayment, at: EpochMs, wish: 'any' | 'good' = 'any'): Change[] => {
  const complete: Change[] = [{ at, standing: 'complete' }];
  const later = at + pendingMs(random);
  const settling: Change[] = [
    { at, standing: 'pending' },
    { at: later, standing: 'complete' },
  ];
  const draw = random.next();
  if (draw < 0.45) return complete;
  if (draw < 0.75 || wish === 'good') return settling;
  if (draw < 0.82)
    return [
      { at, standing: 'pending' },
      { at: later, standing: 'dead' },
    ];
  if (draw < 0.87) return [{ at, standing: 'dead' }];
  if (draw < 0.89) return [{ at, standing: 'pending' }];
  // Shopify's transactions do not fail once they succeeded.
  if (payment.provider === 'shopify') return complete;
  return [...(random.chance(0.5) ? complete : settling), { at: later + pendingMs(random), standing: 'dead' }];
};

interface RefundGiven {
  readonly at: EpochMs;
  readonly money: Money;
  readonly madeBy: TrueOperation | null;
  readonly payment?: TruePayment;
  readonly wish?: 'any' | 'good';
  readonly prints?: boolean;
}

const makeRefund = (random: Random, draft: PaymentDraft, given: RefundGiven): TrueRefund => {
  const payment = given.payment ?? draft.payment;
  const { madeBy } = given;
  const echo = payment.provider === 'paypal' ? madeBy?.customId : madeBy?.id;
  const refund: TrueRefund = {
    id: refundId(random, payment),
    payment,
    money: given.money,
    madeBy: madeBy?.id ?? null,
    changes: life(random, payment, given.at, given.wish),
    splitMs:
      payment.provider === 'shopify' && given.money.minor > 1n && random.chance(0.4) ? random.int(1, SPLIT_MS) : 0,
    echo: given.prints === true && echo !== undefined ? echo : null,
  };
  payment.refunds.push(refund);
  return refund;
};

const contractOf = (random: Random, payment: TruePayment): { contract: string; version: string | null } => {
  const version = (named: string): string | null => (random.chance(0.5) ? named : null);
  switch (payment.provider) {
    case 'paypal':
      return { contract: 'paypal.refund.completed', version: version('1.1.0') };
    case 'square':
      return { contract: 'square.refund.completed', version: version('1.1.0') };
    case 'shopify':
      return random.chance(0.5)
        ? { contract: 'shopify.refund.created', version: version('1.1.0') }
        : { contract: 'shopify.refund.financially_completed', version: version('1.0.0') };
    case 'stripe':
      return { contract: 'stripe.refund.succeeded', version: version('1.0.0') };
  }
};

interface OperationGiven {
  readonly at: EpochMs;
  readonly money: Money;
  readonly story: string;
  readonly intentRef?: string | null;
  readonly retryOf?: TrueOperation;
}

const startOperation = (random: Random, draft: PaymentDraft, given: OperationGiven): TrueOperation => {
  const id = `op-${draft.number}-${draft.payment.operations.length + 1}`;
  const operation: TrueOperation = {
    id,
    payment: draft.payment,
    ...contractOf(random, draft.payment),
    createdAt: given.at,
    money: given.money,
    intentRef: given.intentRef === undefined ? (random.chance(0.4) ? `line-${id}` : null) : given.intentRef,
    customId: draft.payment.provider === 'paypal' && random.chance(0.4) ? `custom-${id}` : null,
    answers: [],
    retryOf: given.retryOf?.id ?? null,
    story: given.story,
  };
  draft.payment.operations.push(operation);
  return operation;
};

const callMs = (random: Random): number => random.int(20, 1500);
const answerMs = (random: Random): number => random.int(5, 2500);

const answered = (random: Random, operation: TrueOperation, refund: TrueRefund, after = createdAt(refund)): EpochMs => {
  const answer: TrueAnswer = { at: after + answerMs(random), refund, error: null };
  operation.answers.push(answer);
  return answer.at;
};

const lost = (random: Random, operation: TrueOperation, after: EpochMs): EpochMs => {
  const answer: TrueAnswer = {
    at: after + random.int(2000, 30_000),
    refund: null,
    error: random.pick(['timeout', 'network']),
  };
  operation.answers.push(answer);
  return answer.at;
};

type Story = (random: Random, draft: PaymentDraft, at: EpochMs, name: string) => EpochMs;

const oneRefund: Story = (random, draft, at, story) => {
  const operation = startOperation(random, draft, { at, money: freshMoney(random, draft), story });
  const made = { at: at + callMs(random), money: operation.money, madeBy: operation, prints: random.chance(0.5) };
  return answered(random, operation, makeRefund(random, draft, made));
};

/** The call is made again with the same key: the provider answers with the same refund. */
const keyedRetry: Story = (random, draft, at, story) => {
  const operation = startOperation(random, draft, { at, money: freshMoney(random, draft), story });
  const made = { at: at + callMs(random), money: operation.money, madeBy: operation, prints: random.chance(0.5) };
  const refund = makeRefund(random, draft, made);
  const lostAt = lost(random, operation, createdAt(refund));
  return answered(random, operation, refund, lostAt);
};

/** The call is made again without a key: the provider refunds twice. */
const keylessRetry: Story = (random, draft, at, story) => {
  const operation = startOperation(random, draft, { at, money: freshMoney(random, draft), story });
  const prints = random.chance(0.5);
  const first = makeRefund(random, draft, {
    at: at + callMs(random),
    money: operation.money,
    madeBy: operation,
    prints,
  });
  const isHeard = random.chance(0.4);
  const knownAt = isHeard ? answered(random, operation, first) : lost(random, operation, createdAt(first));
  const again = knownAt + random.pick([callMs(random), random.int(30_000, 900_000)]);
  const second = makeRefund(random, draft, { at: again, money: operation.money, madeBy: operation, prints });
  return random.chance(0.85) ? answered(random, operation, second) : lost(random, operation, createdAt(second));
};

/** The refund is made and nobody hears of it. */
const lostAnswer: Story = (random, draft, at, story) => {
  const operation = startOperation(random, draft, { at, money: freshMoney(random, draft), story });
  const made = { at: at + callMs(random), money: operation.money, madeBy: operation, prints: random.chance(0.6) };
  const refund = makeRefund(random, draft, made);
  if (random.chance(0.3)) return createdAt(refund);
  if (random.chance(0.4)) {
    // The call was made twice and only the second answer was published: the capture is refunded already.
    operation.answers.push({ at: createdAt(refund) + callMs(random), refund: null, error: 'declined' });
    return createdAt(refund);
  }
  const lostAt = lost(random, operation, createdAt(refund));
  if (random.chance(0.3)) operation.answers.push({ at: lostAt + callMs(random), refund: null, error: 'declined' });
  return lostAt;
};

/** No refund is made. Now and then somebody makes one by hand, which is not the operation's. */
const nothingMade: Story = (random, draft, at, story) => {
  const operation = startOperation(random, draft, { at, money: freshMoney(random, draft), story });
  const heardAt = at + callMs(random);
  if (random.chance(0.5)) lost(random, operation, heardAt);
  else operation.answers.push({ at: heardAt, refund: null, error: 'declined' });
  if (random.chance(0.6)) return heardAt;
  const by = { at: at + CLEARLY_MS + random.int(0, 3_600_000), money: operation.money, madeBy: null };
  return createdAt(makeRefund(random, draft, by));
};

const wrongMoney: Story = (random, draft, at, story) => {
  const operation = startOperation(random, draft, { at, money: freshMoney(random, draft), story });
  const isAmount = random.chance(0.6);
  const other = operation.money.currency === 'USD' ? 'EUR' : 'USD';
  const money = isAmount ? freshMoney(random, draft) : { ...operation.money, currency: other };
  return answered(random, operation, makeRefund(random, draft, { at: at + callMs(random), money, madeBy: operation }));
};

const wrongPayment: Story = (random, draft, at, story) => {
  const operation = startOperation(random, draft, { at, money: freshMoney(random, draft), story });
  const made = { at: at + callMs(random), money: operation.money, madeBy: operation, payment: draft.bystander };
  return answered(random, operation, makeRefund(random, draft, made));
};

/** The same intent under a new operation id, before anybody knows how the first went. */
const blindRetry: Story = (random, draft, at, story) => {
  const intentRef = random.chance(0.3) ? `line-${draft.number}-${at}` : null;
  const money = freshMoney(random, draft);
  const prints = random.chance(0.5);
  const first = startOperation(random, draft, { at, money, story, intentRef });
  const one = makeRefund(random, draft, { at: at + callMs(random), money, madeBy: first, prints });
  const isHeard = random.chance(0.7);
  const knownAt = isHeard ? answered(random, first, one) : lost(random, first, createdAt(one));
  const again = isHeard ? random.int(at, knownAt - 1) : knownAt + random.int(10, 600_000);
  const second = startOperation(random, draft, { at: again, money, story, intentRef, retryOf: first });
  const two = makeRefund(random, draft, { at: again + callMs(random), money, madeBy: second, prints });
  return Math.max(knownAt, answered(random, second, two));
};

/** Two refunds of one amount that are both meant: for two lines, or the second once the first's result is known. */
const equalPartials: Story = (random, draft, at, story) => {
  const money = freshMoney(random, draft);
  const isByLine = random.chance(0.5);
  const ref = (line: number): string | null => (isByLine ? `line-${draft.number}-${line}` : null);
  let next = at;
  let knownAt = at;
  const count = random.int(2, 3);
  for (let line = 1; line <= count; line += 1) {
    const operation = startOperation(random, draft, { at: next, money, story, intentRef: ref(line) });
    const made = { at: next + callMs(random), money, madeBy: operation, prints: random.chance(0.5) };
    const refund = makeRefund(random, draft, made);
    const isLost = isByLine && random.chance(0.2);
    const heardAt = isLost ? lost(random, operation, createdAt(refund)) : answered(random, operation, refund);
    knownAt = Math.max(knownAt, heardAt);
    next = isByLine ? next + random.int(1, 2000) : knownAt + random.pick([random.int(0, 5), random.int(1000, 300_000)]);
  }
  return knownAt;
};

/** A refund that failed, and the same intent again once that is known: under the same operation or a new one. */
const retryAfterFailure: Story = (random, draft, at, story) => {
  const money = freshMoney(random, draft);
  const first = startOperation(random, draft, { at, money, story });
  const failed: TrueRefund = {
    id: refundId(random, draft.payment),
    payment: draft.payment,
    money,
    madeBy: first.id,
    changes: [{ at: at + callMs(random), standing: 'dead' }],
    splitMs: 0,
    echo: null,
  };
  draft.payment.refunds.push(failed);
  const knownAt = answered(random, first, failed);
  const again = knownAt + random.int(1000, 400_000);
  const isNew = random.chance(0.5);
  const second = isNew ? startOperation(random, draft, { at: again, money, story, intentRef: first.intentRef }) : first;
  return answered(
    random,
    second,
    makeRefund(random, draft, { at: again + callMs(random), money, madeBy: second, wish: 'good' }),
  );
};

/** Somebody refunds at the provider's dashboard, the same money or other money, after an operation or well before it. */
const dashboard: Story = (random, draft, at, story) => {
  const money = freshMoney(random, draft);
  const isBefore = random.chance(0.4);
  const by = { madeBy: null, money: random.chance(0.6) ? money : freshMoney(random, draft) };
  const start = isBefore ? at + CLEARLY_MS : at;
  if (isBefore) makeRefund(random, draft, { at, ...by });
  const operation = startOperation(random, draft, { at: start, money, story });
  const refund = makeRefund(random, draft, { at: start + callMs(random), money, madeBy: operation });
  const knownAt = answered(random, operation, refund);
  if (isBefore) return knownAt;
  const later = start + CLEARLY_MS + random.pick([0, random.int(0, 7_200_000)]);
  makeRefund(random, draft, { at: later, ...by });
  return later;
};

/** The service reports a refund that was there before, or another operation's, as its own. */
const claimedRefund: Story = (random, draft, at, story) => {
  const money = freshMoney(random, draft);
  if (random.chance(0.5)) {
    const old = makeRefund(random, draft, { at, money, madeBy: null, wish: 'good' });
    const operation = startOperation(random, draft, { at: at + CLEARLY_MS, money, story });
    return answered(random, operation, old, operation.createdAt);
  }
  const first = startOperation(random, draft, { at, money, story, intentRef: null });
  const refund = makeRefund(random, draft, { at: at + callMs(random), money, madeBy: first, wish: 'good' });
  const knownAt = answered(random, first, refund);
  const second = startOperation(random, draft, { at: knownAt + random.int(1, 60_000), money, story, intentRef: null });
  return answered(random, second, refund, second.createdAt);
};

const STORIES: readonly (readonly [name: string, weight: number, story: Story])[] = [
  ['one refund', 10, oneRefund],
  ['keyed retry', 3, keyedRetry],
  ['keyless retry', 5, keylessRetry],
  ['lost answer', 3, lostAnswer],
  ['nothing made', 2, nothingMade],
  ['wrong money', 3, wrongMoney],
  ['wrong payment', 2, wrongPayment],
  ['blind retry', 5, blindRetry],
  ['equal partials', 6, equalPartials],
  ['retry after failure', 3, retryAfterFailure],
  ['dashboard', 4, dashboard],
  ['claimed refund', 3, claimedRefund],
];

const TOTAL = STORIES.reduce((sum, [, weight]) => sum + weight, 0);

/** Plays a story on a payment, from `at`; answers with the time of the last thing that it needed to know. */
export const playStory = (random: Random, draft: PaymentDraft, at: EpochMs): EpochMs => {
  let left = random.int(1, TOTAL);
  for (const [name, weight, story] of STORIES) {
    left -= weight;
    if (left <= 0) return story(random, draft, at, name);
  }
  throw new TypeError('the weights do not add up');
};
