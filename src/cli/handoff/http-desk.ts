import { OperatingError } from '../../errors.ts';
import { type HandoffDecided, type HandoffRefusal, isJsonObject, type JsonObject } from '../../evaluator/index.ts';
import { printJson, readJsonText } from '../../records/json-text.ts';
import type { HandoffDesk } from './desk.ts';

const TIMEOUT_MS = 60_000;

/** A running `countersign serve` or `countersign gateway`. @param apiKey null where none is asked for */
export const httpDesk = (url: string, apiKey: string | null): HandoffDesk => {
  const base = url.replace(/\/+$/, '');
  const call = async (path: string, init: RequestInit): Promise<{ status: number; body: JsonObject }> => {
    const headers = {
      'content-type': 'application/json',
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${base}${path}`, { ...init, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      text = await response.text();
    } catch (cause) {
      throw new OperatingError('STATE_UNAVAILABLE', `${base} does not answer`, { cause });
    }
    const read = readJsonText(text);
    const body = read.ok && isJsonObject(read.value) ? read.value : {};
    if (response.status === 404 || typeof body['decision'] === 'string' || body['decision'] === null)
      return { status: response.status, body };
    const code = response.status === 400 ? 'RECORD_MALFORMED' : 'STATE_UNAVAILABLE';
    const said = String(body['detail'] ?? body['title'] ?? 'nothing that can be read');
    throw new OperatingError(code, `${base} answered ${response.status}: ${said}`);
  };
  return {
    ask: async (request) => {
      const { body } = await call('/v1/handoffs', { method: 'POST', body: printJson(request) });
      if (body['decision'] === null) {
        return { outcome: 'pending', handoffId: String(body['handoff_id']), paymentKey: String(body['payment_key']) };
      }
      if (body['kind'] !== 'handoff.decided')
        return { outcome: 'unknown', refusals: (body['refusals'] ?? []) as unknown as readonly HandoffRefusal[] };
      return { outcome: 'decided', decided: body as unknown as HandoffDecided };
    },
    show: async (id) => {
      const { status, body } = await call(`/v1/handoffs/${encodeURIComponent(id)}`, { method: 'GET' });
      return status === 200 ? (body as unknown as HandoffDecided) : null;
    },
    close: async () => undefined,
  };
};
