import { Agent, request } from 'undici';

export interface WebhookDeliveryOptions {
  /** for a whole delivery; the providers wait 5 to 30 s */
  readonly timeoutMs: number;
  /** deliveries at once */
  readonly connections: number;
}

export interface WebhookDelivery {
  /** Posts a body; the status that answered it, null where nobody did. Follows no redirect, and never rejects. */
  deliver(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number | null>;
  close(): Promise<void>;
}

/** Delivers webhooks over HTTP, as a provider does. */
export const createWebhookDelivery = ({ timeoutMs, connections }: WebhookDeliveryOptions): WebhookDelivery => {
  const dispatcher = new Agent({ connections, connect: { timeout: timeoutMs }, keepAliveTimeout: 10_000 });
  return {
    deliver: async (url, headers, body) => {
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal });
        await answer.body.dump();
        return answer.statusCode;
      } catch {
        // Whatever it was, nobody acknowledged: it is tried again.
        return null;
      }
    },
    close: () => dispatcher.destroy(),
  };
};
