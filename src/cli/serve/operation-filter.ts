import { nearest } from '../../config/nearest.ts';
import type { OperationFilter } from '../../console/operations.ts';
import type { VerdictName } from '../../evaluator/index.ts';

const VERDICTS: Readonly<Record<VerdictName, true>> = {
  VERIFIED: true,
  CONTRADICTED: true,
  FAILED: true,
  PENDING: true,
  UNVERIFIABLE: true,
};

const isVerdict = (text: string): text is VerdictName => Object.hasOwn(VERDICTS, text);

const WANTED: Readonly<Record<string, string>> = {
  verdict: `one of ${Object.keys(VERDICTS).join(', ')}`,
  escalated: 'true or false',
  payment_key: 'a payment key, <provider>:<account>:<payment id>',
};

/** Why a query cannot be answered; `field` is the parameter. */
export interface WrongFilter {
  readonly field: string;
  readonly detail: string;
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

const wrong = (field: string, was: unknown, shouldBe: string): WrongFilter => ({
  field,
  detail: `${field.slice(0, 80)}: was ${shown(was)}, should be ${shouldBe}`,
});

const unknownParameter = (field: string, was: unknown): WrongFilter => {
  const names = Object.keys(WANTED);
  const meant = nearest(field.slice(0, 80), names);
  return wrong(
    field.slice(0, 80),
    was,
    meant === null ? `left out: the parameters are ${names.join(', ')}` : `named ${meant}`,
  );
};

/** The filter of `GET /v1/operations`. What it does not know is refused: an empty answer would say that there is nothing. */
export const parseOperationFilter = (query: Readonly<Record<string, unknown>>): OperationFilter | WrongFilter => {
  let filter: OperationFilter = {};
  for (const [field, value] of Object.entries(query)) {
    const wants = Object.hasOwn(WANTED, field) ? WANTED[field] : undefined;
    if (wants === undefined) return unknownParameter(field, value);
    if (typeof value !== 'string' || value === '') {
      return wrong(field, value, Array.isArray(value) ? `given once: ${wants}` : wants);
    }
    if (field === 'payment_key') filter = { ...filter, paymentKey: value };
    else if (field === 'verdict' && isVerdict(value)) filter = { ...filter, verdict: value };
    else if (field === 'escalated' && (value === 'true' || value === 'false'))
      filter = { ...filter, isEscalated: value === 'true' };
    else return wrong(field, value, wants);
  }
  return filter;
};
