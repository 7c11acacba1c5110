import type { FastifyReply } from 'fastify';

/** The body of an error, RFC 9457. */
export interface Problem {
  readonly title: string;
  readonly detail?: string | undefined;
  /** an error code of ours */
  readonly code?: string | undefined;
  /** dotted path of the field that is wrong */
  readonly field?: string | undefined;
}

/** Answers with `application/problem+json`. */
export const sendProblem = (reply: FastifyReply, status: number, problem: Problem): FastifyReply =>
  reply
    .code(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', status, ...problem }));
