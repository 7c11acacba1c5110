import type { Mutation } from './mutation-list.ts';

/** Mistakes that only a deployment shows: in what the consumer, the publisher, the worker and the gateway do one after another. */
export const HOUSE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'let a former owner commit',
    file: 'src/drivers/memory/shard.ts',
    from: 'if (this.#token !== claim.token)',
    to: 'if (this.#token === "")',
  },
  {
    name: 'let an owner commit from where the store is not',
    file: 'src/drivers/memory/shard.ts',
    from: `this.#sequence !== claim.sequence ||
      !sameApplied(this.#applied, claim.applied) ||
      claim.nextVerdict < this.#nextVerdict`,
    to: 'claim.nextVerdict < this.#nextVerdict',
  },
  {
    name: 'apply an offset before its dead letter',
    file: 'src/consumers/apply-batches.ts',
    from: '  await setAside(deps, records, processed);\n',
    to: '  queueMicrotask(() => void setTimeout(() => void setAside(deps, records, processed), 50));\n',
  },
  {
    name: 'leave strays where they are',
    file: 'src/consumers/apply-batches.ts',
    from: 'if (rekeys.length > 0) {',
    to: 'if (rekeys.length > 1_000_000) {',
  },
  {
    name: 'commit the verdicts without their position',
    file: 'src/drivers/kafka/verdict-transaction.ts',
    from: '  await sendOffsets(transaction, publication, position);\n',
    to: '  if (position.foldFrom !== null) await sendOffsets(transaction, publication, position);\n',
  },
  {
    name: 'trim before publishing',
    file: 'src/drivers/kafka/verdict-publisher.ts',
    from: '    if (!(await commitVerdicts(transaction, publication, claim.token, sealed, next))) return null;\n',
    to: `    await store.trimVerdicts(shard, claim.token, next.next - 1);
    if (!(await commitVerdicts(transaction, publication, claim.token, sealed, next))) return null;
`,
  },
  {
    name: 'trim nothing',
    file: 'src/drivers/kafka/verdict-publisher.ts',
    from: `    await faults.hit('after-publish');
    await store.trimVerdicts(shard, claim.token, next.next - 1);
`,
    to: "    await faults.hit('after-publish');\n",
  },
  {
    name: 'read the position before a transaction begins',
    file: 'src/drivers/kafka/verdict-publisher.ts',
    from: `    let transaction = await producer.transaction();
    await faults.hit('publish-begun');
    if (!(await store.owns(shard, claim.token))) return null;
    let { position, isKnown } = await positionOf(claim);
`,
    to: `    let { position, isKnown } = await positionOf(claim);
    let transaction = await producer.transaction();
    await faults.hit('publish-begun');
    if (!(await store.owns(shard, claim.token))) return null;
`,
  },
  {
    name: 'use the producer object again',
    file: 'src/drivers/kafka/verdict-publisher.ts',
    from: '        producer = await createTransactionalProducer(publication);\n',
    to: `        const held = publication as { producer?: Producer };
        held.producer ??= await createTransactionalProducer(publication);
        producer = held.producer;
`,
  },
  {
    name: 'fold nothing after a rewind',
    file: 'src/drivers/kafka/verdict-publisher.ts',
    from: 'if (position.foldFrom === null) return null;',
    to: 'if (position.foldFrom === null || position.next > 0) return null;',
  },
  {
    name: 'do not look whether an idle store went back',
    file: 'src/consumers/shard-session.ts',
    from: 'return at - this.#confirmed.at >= CONFIRM_AFTER_MS;',
    to: 'return at < CONFIRM_AFTER_MS;',
  },
  {
    name: 'keep the cache through a take-over',
    file: 'src/consumers/shard.ts',
    from: `    this.#sent.clear();
    this.#cache.clear();
    const { streamTime`,
    to: `    this.#sent.clear();
    const { streamTime`,
  },
  {
    name: 'do not seek where a shard is taken',
    file: 'src/drivers/kafka/input-consumer.ts',
    from: 'for (const [topic, offset] of from) consumer.seek({ topic, partition: shard, offset: offset.toString() });',
    to: 'if (from.size > 100) throw new TypeError();',
  },
  {
    name: 'let time pass while records wait',
    file: 'src/consumers/shard.ts',
    from: 'if (end !== undefined && position >= end) session.streamTime.caughtUp(topic, at);',
    to: 'if (end !== undefined) session.streamTime.caughtUp(topic, at);',
  },
  {
    name: 'never give out a lost lease again',
    file: 'src/drivers/memory/read-entry.ts',
    from: "entry.hold === 'done' ? null",
    to: "entry.hold === 'done' || entry.hold === 'leased' ? null",
  },
  {
    name: 'keep a record producer after a failure',
    file: 'src/drivers/kafka/record-sink.ts',
    from: '      discard();\n      if (!TOO_LARGE',
    to: '      if (!TOO_LARGE',
  },
  {
    name: 'ask the provider as often at once as one likes',
    file: 'src/producers/readback/lane.ts',
    from: 'this.#slots = new Slots(options.concurrency);',
    to: 'this.#slots = new Slots(1_000);',
  },
  {
    name: 'take no rate',
    file: 'src/producers/readback/lane.ts',
    from: '      const waitMs = await limiter.take(key, rate);\n      if (waitMs === 0) break;',
    to: '      const waitMs = Math.min(0, await limiter.take(key, rate));\n      if (waitMs === 0) break;',
  },
  {
    name: 'release a read before its answer is published',
    file: 'src/producers/readback/worker.ts',
    from: '    await publishAnswer(this.#options, read, request, turn, leaseUntil, this.#abandon.signal);',
    to: `    await store.releaseRead(read, null);
    await publishAnswer(this.#options, read, request, turn, leaseUntil, this.#abandon.signal);`,
  },
  {
    name: 'answer a webhook before it is kept',
    file: 'src/producers/gateway/webhook-receiver.ts',
    from: '        await producer.received(',
    to: '        void Promise.resolve().catch(() => undefined);\n        void producer.received(',
  },
  {
    name: 'forget after a rewind what was sealed last',
    file: 'src/drivers/kafka/verdict-tail.ts',
    from: 'receipt: verdict.receipt?.hash ?? null,',
    to: 'receipt: null,',
  },
  {
    name: 'seal no withdrawal',
    file: 'src/receipts/link.ts',
    from: "verdict !== 'PENDING' || last !== null;",
    to: "verdict !== 'PENDING' || last === undefined;",
  },
  {
    name: 'go on with a chain from where this process left it',
    file: 'src/drivers/kafka/verdict-publisher.ts',
    from: '    const chain = await chainHead(held.chain);',
    to: `    const mine = publication as { chain?: ChainHead | null };
    mine.chain ??= await chainHead(held.chain);
    const { chain } = mine;`,
  },
  {
    name: 'do not spend an authority',
    file: 'src/handoff/check-authority.ts',
    from: '  if (spent !== undefined)',
    to: '  if (spent !== undefined && held.isLimited)',
  },
  {
    name: 'forget what plans hold',
    file: 'src/handoff/ceiling.ts',
    from: 'unbegun.filter(({ isHeld }) => isHeld).map(',
    to: 'unbegun.filter(({ isHeld, id }) => isHeld && id === "").map(',
  },
  {
    name: 'take no open operation off a charge',
    file: 'src/evaluator/standing.ts',
    from: '    sums.push(sumOfOperation(operation, judged.start));',
    to: '    if (sums.length > 1_000) sums.push(sumOfOperation(operation, judged.start));',
  },
  {
    name: 'decide again what has its plan',
    file: 'src/evaluator/ask-handoff.ts',
    from: "(known.decision === 'planned' || isAnswered(known, request.source))",
    to: '(known.decided_at === "" || isAnswered(known, request.source))',
  },
  {
    name: 'bind an authority anew each time',
    file: 'src/consumers/bind-authorities.ts',
    from: 'claim !== null && (bindings.get(key) ?? null) === null)',
    to: 'claim !== null)',
  },
  {
    name: 'pass requests on after their offset',
    file: 'src/consumers/apply-batches.ts',
    from: '    await sink.write(forwards);',
    to: '    setTimeout(() => void sink.write(forwards), 50);',
  },
  {
    name: 'hold no operation to the amount of its plan',
    file: 'src/evaluator/handoff-drift.ts',
    from: '  ...amountDrift(operation, plan),\n',
    to: '',
  },
  {
    name: 'hear no reviewer',
    file: 'src/evaluator/publish.ts',
    from: 'if (decision === undefined || decision.at < startedAt)',
    to: 'if (decision === undefined || decision.at >= startedAt)',
  },
];
