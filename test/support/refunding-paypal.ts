import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What becomes of the next call to refund: made and answered; made and the answer lost; made and answered too late; refused with
 * a status.
 */
export type NextCall = 'made' | 'lost' | 'late' | number;

export interface RefundingPayPal {
  readonly address: string;
  /** calls to refund, by their idempotency keys, oldest first */
  readonly keys: readonly string[];
  /** idempotency key → the refund that was made under it */
  readonly refunds: ReadonlyMap<string, Record<string, unknown>>;
  /** of the next calls, in order; then all are made */
  play(...next: readonly NextCall[]): void;
  close(): void;
}

/** PayPal as far as a payment service and a readback need it: tokens, refunds that are idempotent by their key, and their readbacks. */
export const startRefundingPayPal = async (): Promise<RefundingPayPal> => {
  const keys: string[] = [];
  const refunds = new Map<string, Record<string, unknown>>();
  const queue: NextCall[] = [];

  const make = (key: string, capture: string, amount: unknown): Record<string, unknown> => {
    const held = refunds.get(key);
    if (held !== undefined) return held;
    const at = new Date().toISOString();
    const links = [{ rel: 'up', href: `https://api.paypal.com/v2/payments/captures/${capture}` }];
    const made = { id: `RF${refunds.size + 1}`, status: 'COMPLETED', amount, create_time: at, update_time: at, links };
    refunds.set(key, made);
    return made;
  };

  const refund = (response: ServerResponse, key: string, capture: string, text: string): void => {
    keys.push(key);
    const next = queue.shift() ?? 'made';
    if (typeof next === 'number') {
      send(response, next, { name: 'REFUSED', details: [{ issue: `HTTP ${next}` }] });
      return;
    }
    const { amount } = JSON.parse(text) as { amount: unknown };
    const made = make(key, capture, amount);
    if (next === 'lost') response.destroy();
    else if (next === 'made') send(response, 201, made);
  };

  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { url = '', headers } = request;
      const capture = /^\/v2\/payments\/captures\/(\w+)\/refund$/.exec(url)?.[1];
      if (capture !== undefined) return refund(response, String(headers['paypal-request-id']), capture, text);
      if (url === '/v1/oauth2/token') return send(response, 200, { access_token: 'token', expires_in: 3_600 });
      const found = [...refunds.values()].find(({ id }) => url === `/v2/payments/refunds/${id}`);
      return found === undefined ? send(response, 404, { name: 'RESOURCE_NOT_FOUND' }) : send(response, 200, found);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    refunds,
    play: (...next) => void queue.push(...next),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const send = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
