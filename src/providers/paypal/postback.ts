import { isJsonObject } from '../../evaluator/index.ts';
import type { ReadError } from '../../ports/provider-reader.ts';
import { readJsonText } from '../../records/index.ts';
import type { PayPalAccount } from '../account.ts';
import type { Delivery } from '../adapter.ts';
import { apiAnswer, type ReadTools, readError } from '../api-call.ts';
import { hintHeader } from '../delivery-header.ts';
import type { PayPalEndpoint } from '../endpoint.ts';
import { own } from '../own.ts';
import { PayPalAccessToken } from './access-token.ts';
import { paypalErrorCode } from './normalise.ts';

/** What PayPal says of a delivery: its own, not its own, or nothing. */
export type PostbackAnswer = { readonly outcome: 'signed' | 'not_signed' } | ReadError;

/** The call's own limits. */
const ID_MAX = 50;
const SIGNATURE_MAX = 500;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body where it is one JSON object; null else: then it is no event, and PayPal has not to be asked. */
const eventText = (raw: Delivery['raw']): string | null => {
  try {
    const text = typeof raw === 'string' ? raw : utf8.decode(raw);
    const read = readJsonText(text);
    return read.ok && isJsonObject(read.value) ? text : null;
  } catch {
    return null;
  }
};

/**
 * The question, with the event spliced in as it came: printed anew it would have another checksum. It has been read as one whole
 * JSON object, so that nothing in it can end it early and answer for the fields around it.
 */
const questionOf = (delivery: Delivery, endpoint: PayPalEndpoint): string | null => {
  const event = eventText(delivery.raw);
  if (event === null) return null;
  const fields: Record<string, string> = { webhook_id: endpoint.webhookId };
  const headers = {
    auth_algo: 'paypal-auth-algo',
    cert_url: 'paypal-cert-url',
    transmission_id: 'paypal-transmission-id',
    transmission_sig: 'paypal-transmission-sig',
    transmission_time: 'paypal-transmission-time',
  };
  for (const [field, header] of Object.entries(headers)) {
    const value = hintHeader(delivery.headers, header);
    if (value === null) return null;
    if (value.length > (field === 'transmission_id' ? ID_MAX : SIGNATURE_MAX)) return null;
    fields[field] = value;
  }
  return `${JSON.stringify(fields).slice(0, -1)},"webhook_event":${event}}`;
};

/**
 * Asks PayPal whether it signed a delivery: `POST /v1/notifications/verify-webhook-signature`. For where its certificate cannot
 * be had; it says nothing of simulator events.
 */
export const createPayPalPostback = (
  account: PayPalAccount,
  tools: ReadTools,
): ((delivery: Delivery, endpoint: PayPalEndpoint) => Promise<PostbackAnswer>) => {
  const token = new PayPalAccessToken(account);
  return async (delivery, endpoint) => {
    const body = questionOf(delivery, endpoint);
    if (body === null) return { outcome: 'not_signed' };
    const given = await token.get(tools);
    if (given.outcome === 'error') return given;
    const answer = apiAnswer(
      await tools.send({
        method: 'POST',
        path: '/v1/notifications/verify-webhook-signature',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: `Bearer ${given.value}`,
        },
        body,
      }),
      tools.now(),
      paypalErrorCode,
    );
    if (answer.outcome === 'absent') return readError('malformed', 'the verification answered HTTP 404', 404);
    if (answer.outcome === 'error') {
      if (answer.kind === 'auth') token.refused(given.value);
      return answer;
    }
    const status = own(answer.body, 'verification_status');
    if (status === 'SUCCESS') return { outcome: 'signed' };
    if (status === 'FAILURE') return { outcome: 'not_signed' };
    return readError('malformed', 'the verification has no verification_status', answer.status);
  };
};
