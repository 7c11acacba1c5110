import type { Fault } from '../scenario-schema.ts';
import type { Answer } from '../stand.ts';

export const squareError = (
  status: number,
  category: string,
  code: string,
  detail: string,
  field?: string,
): Answer => ({
  status,
  body: { errors: [{ category, code, detail, ...(field === undefined ? {} : { field }) }] },
});

export const notFound = (what: string, id: string): Answer =>
  squareError(404, 'INVALID_REQUEST_ERROR', 'NOT_FOUND', `Could not find ${what} with id: ${id}`);

export const badRequest = (code: string, detail: string, field: string): Answer =>
  squareError(400, 'INVALID_REQUEST_ERROR', code, detail, field);

export const fault = (kind: Exclude<Fault, 'reset' | 'html'>, retryAfterS: number): Answer => {
  switch (kind) {
    case 'rate_limited':
      return {
        ...squareError(429, 'RATE_LIMIT_ERROR', 'RATE_LIMITED', 'This request was rate limited.'),
        headers: { 'retry-after': String(retryAfterS) },
      };
    case 'unavailable':
      return squareError(503, 'API_ERROR', 'SERVICE_UNAVAILABLE', 'The service is unavailable.');
    case 'error':
      return squareError(500, 'API_ERROR', 'INTERNAL_SERVER_ERROR', 'An internal error has occurred.');
    case 'unauthorized':
      return squareError(401, 'AUTHENTICATION_ERROR', 'UNAUTHORIZED', 'This request could not be authorized.');
  }
};
