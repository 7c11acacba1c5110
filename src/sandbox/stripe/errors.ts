import type { Fault } from '../scenario-schema.ts';
import type { Answer } from '../stand.ts';

interface Said {
  readonly code?: string;
  readonly param?: string;
  readonly type?: string;
}

export const stripeError = (
  status: number,
  message: string,
  { code, param, type = 'invalid_request_error' }: Said = {},
): Answer => ({
  status,
  body: {
    error: {
      ...(code === undefined
        ? {}
        : { code, doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` }),
      message,
      ...(param === undefined ? {} : { param }),
      type,
    },
  },
});

export const notFound = (what: string, id: string, param = 'id'): Answer =>
  stripeError(404, `No such ${what}: '${id}'`, { code: 'resource_missing', param });

export const fault = (kind: Exclude<Fault, 'reset' | 'html'>, retryAfterS: number): Answer => {
  switch (kind) {
    case 'rate_limited':
      return {
        ...stripeError(429, 'Request rate limit exceeded.', { code: 'rate_limit' }),
        headers: { 'retry-after': String(retryAfterS) },
      };
    case 'unavailable':
      return stripeError(503, 'The service is unavailable.', { type: 'api_error' });
    case 'error':
      return stripeError(500, 'An unknown error occurred.', { type: 'api_error' });
    case 'unauthorized':
      return stripeError(401, 'Invalid API Key provided.');
  }
};
