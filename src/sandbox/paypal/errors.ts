import type { Fault } from '../scenario-schema.ts';
import type { Answer } from '../stand.ts';

const refusal = (
  status: number,
  name: string,
  message: string,
  issue: { readonly issue: string; readonly description: string } | null,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers,
  body: {
    name,
    message,
    debug_id: 'c0ffee0000001',
    ...(issue === null ? {} : { details: [issue] }),
    links: [{ href: 'https://developer.paypal.com/docs/api/payments/v2/#errors', rel: 'information_link' }],
  },
});

export const notFound = (): Answer =>
  refusal(404, 'RESOURCE_NOT_FOUND', 'The specified resource does not exist.', {
    issue: 'INVALID_RESOURCE_ID',
    description: 'Specified resource ID does not exist. Please check the resource ID and try again.',
  });

/** 422: understood, and not done. */
export const unprocessable = (issue: string, description: string): Answer =>
  refusal(
    422,
    'UNPROCESSABLE_ENTITY',
    'The requested action could not be performed, semantically incorrect, or failed business validation.',
    { issue, description },
  );

export const invalid = (issue: string, description: string): Answer =>
  refusal(400, 'INVALID_REQUEST', 'Request is not well-formed, syntactically incorrect, or violates schema.', {
    issue,
    description,
  });

export const unauthorized = (): Answer => ({
  status: 401,
  body: { error: 'invalid_token', error_description: 'Token signature verification failed' },
});

export const fault = (kind: Exclude<Fault, 'reset' | 'html'>, retryAfterS: number): Answer => {
  switch (kind) {
    case 'rate_limited':
      return refusal(429, 'RATE_LIMIT_REACHED', 'Too many requests. Blocked due to rate limiting.', null, {
        'retry-after': String(retryAfterS),
      });
    case 'unavailable':
      return refusal(503, 'SERVICE_UNAVAILABLE', 'Service Unavailable.', null);
    case 'error':
      return refusal(500, 'INTERNAL_SERVER_ERROR', 'An internal server error has occurred.', null);
    case 'unauthorized':
      return unauthorized();
  }
};
