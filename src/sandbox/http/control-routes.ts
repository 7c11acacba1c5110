import type { FastifyInstance, FastifyReply } from 'fastify';
import type { z } from 'zod';
import { fieldName } from '../../contracts/problem.ts';
import type { Json, ProviderName } from '../../evaluator/index.ts';
import { printJson } from '../../records/json-text.ts';
import { countersignConfig, printConfig } from '../countersign-config.ts';
import type { Payment, Refund, RefundState } from '../model.ts';
import { minorOf } from '../money.ts';
import type { Sandbox } from '../sandbox.ts';
import { SandboxRefusal } from '../world.ts';
import type { Answering } from './answering.ts';
import { CONTROL, type ControlName } from './control-requests.ts';
import { jsonBody } from './form.ts';
import { paymentView, refundView, stateView } from './state-view.ts';

type Body<Name extends ControlName> = z.output<(typeof CONTROL)[Name]>;
type Handlers = { readonly [Name in ControlName]: (body: Body<Name>) => Json | Promise<Json> };

const STATUS = { unknown: 404, exists: 409, invalid: 400, fully_refunded: 409, exceeds: 409 } as const;

const problem = (reply: FastifyReply, status: number, detail: string, field: string): FastifyReply =>
  reply
    .code(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title: 'the sandbox cannot do that', status, detail, field }));

const handlersOf = (sandbox: Sandbox): Handlers => {
  const { world } = sandbox;
  const paymentOf = (provider: ProviderName, id: string): Payment => {
    const payment = world.payment(provider, id);
    if (payment === null)
      throw new SandboxRefusal('unknown', 'payment', `payment: was "${id}", which is none of ${provider}'s`);
    return payment;
  };
  const change = (provider: ProviderName, id: string, state: RefundState): Json => {
    const refund: Refund | null = world.refund(provider, id);
    if (refund === null)
      throw new SandboxRefusal('unknown', 'refund', `refund: was "${id}", which is none of ${provider}'s`);
    world.change(refund, state);
    return refundView(refund);
  };
  return {
    payments: (wanted) => paymentView(world.pay(wanted)),
    refunds: ({ provider, account, payment: id, amount }) => {
      const payment = paymentOf(provider, id);
      if (payment.account !== account)
        throw new SandboxRefusal('unknown', 'account', `account: was "${account}", should be "${payment.account}"`);
      const minor = amount === undefined ? null : minorOf(amount, payment.currency, provider);
      if (amount !== undefined && minor === null)
        throw new SandboxRefusal(
          'invalid',
          'amount',
          `amount: was "${amount}", should be a decimal text of more than 0`,
        );
      return refundView(world.refundPayment(payment, { minor, key: null, by: 'dashboard', details: {} }));
    },
    complete: ({ provider, refund }) => change(provider, refund, 'completed'),
    fail: ({ provider, refund }) => change(provider, refund, 'failed'),
    cancel: ({ provider, refund }) => change(provider, refund, 'cancelled'),
    reverse: ({ provider, payment }) => {
      const found = paymentOf(provider, payment);
      world.reverse(found);
      return paymentView(found);
    },
    redeliver: ({ provider, event }) => {
      if (!sandbox.redeliver(provider, event))
        throw new SandboxRefusal('unknown', 'event', `event: was "${event}", which is none of ${provider}'s`);
      return { event };
    },
    calls: (rule) => {
      sandbox.calls.add(rule);
      return { rule: 'comes before all others' };
    },
    webhooks: (rule) => {
      sandbox.outbox.rules.add(rule);
      return { rule: 'comes before all others' };
    },
    advance: async ({ by }) => {
      if (!sandbox.isManual)
        throw new SandboxRefusal('invalid', 'by', 'the clock goes by itself; start with --manual-clock to move it');
      await sandbox.advance(by);
      return { now: new Date(sandbox.clock.now()).toISOString() };
    },
  };
};

/** `/_sandbox/…`: what a test does to the world, and sees of it. */
export const controlRoutes = (server: FastifyInstance, sandbox: Sandbox, answering: Answering): void => {
  const handlers = handlersOf(sandbox);
  const send = (reply: FastifyReply, value: Json): FastifyReply =>
    reply.type('application/json').send(printJson(value));

  const post = <Name extends ControlName>(name: Name): void => {
    server.post(`/_sandbox/${name}`, async (request, reply) => {
      sandbox.catchUp();
      const body = jsonBody(typeof request.body === 'string' ? request.body : '');
      if (body === null) return problem(reply, 400, 'the body should be a JSON object', '');
      const parsed = CONTROL[name].safeParse(body);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const field = fieldName(issue?.path ?? []);
        return problem(reply, 400, `${field}: ${issue?.message ?? 'is not right'}`, field);
      }
      try {
        return send(reply, await handlers[name](parsed.data as Body<Name>));
      } catch (error) {
        if (error instanceof SandboxRefusal) return problem(reply, STATUS[error.reason], error.message, error.field);
        throw error;
      }
    });
  };
  for (const name of Object.keys(CONTROL) as ControlName[]) post(name);
  server.get('/_sandbox/state', async (_request, reply) => {
    sandbox.catchUp();
    return send(reply, stateView(sandbox, answering));
  });
  server.get('/_sandbox/config', async (_request, reply) =>
    reply.type('application/yaml').send(printConfig(countersignConfig(sandbox))),
  );
  server.delete('/_sandbox/calls', async (_request, reply) => {
    sandbox.calls.clear();
    return send(reply, { rules: 0 });
  });
  server.delete('/_sandbox/webhooks', async (_request, reply) => {
    sandbox.outbox.rules.clear();
    return send(reply, { rules: 0 });
  });
};
