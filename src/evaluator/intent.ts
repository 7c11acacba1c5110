import type { CompiledContract } from './compile.ts';
import { compareDecimals, decimalText } from './decimal.ts';
import { type PrintedInstant, parseInstant } from './instant.ts';
import { type JsonObject, own } from './json.ts';
import type { Path } from './path.ts';
import { valueAt } from './path.ts';
import type { OperationStart } from './state.ts';

/** What an operation means to do, read out of its input by its contract. */
export interface Intent {
  readonly amount: string | null;
  /** upper case; null where the contract reads no currency and the input states none */
  readonly currency: string | null;
  readonly intentRef: string | null;
  readonly createdAt: PrintedInstant;
}

const textAt = (input: JsonObject, path: Path | null): string | null => {
  return path === null ? null : decimalText(valueAt(input, path.segments));
};

export const intentOf = (start: OperationStart, contract: CompiledContract): Intent => {
  const currency =
    textAt(start.input, contract.currency) ?? own(start.input, 'currency_code') ?? own(start.input, 'currency');
  const intentRef = own(start.input, 'intent_ref');
  return {
    amount: textAt(start.input, contract.amount),
    currency: typeof currency === 'string' ? currency.toUpperCase() : null,
    intentRef: typeof intentRef === 'string' ? intentRef : null,
    createdAt: parseInstant(start.createdAt) ?? { startMs: start.at, endMs: start.at + 1 },
  };
};

interface Money {
  readonly amount: string | null;
  readonly currency: string | null;
}

/**
 * Whether two sums of money are the same: true, false, or null where a part is not known. A refund that is stated in two
 * currencies is the same where one of them is; where the second sum is not stated (null), another currency is no difference.
 */
export const isSameMoney = (
  a: Money & { readonly otherMoney?: Money | null | undefined },
  b: Money,
): boolean | null => {
  const isSame = compareMoney(a, b);
  if (isSame === true || a.otherMoney === undefined) return isSame;
  if (a.otherMoney === null) return isSame === false && isSameCurrency(a, b) === false ? null : isSame;
  return compareMoney(a.otherMoney, b) === true || isSame;
};

const isSameCurrency = (a: Money, b: Money): boolean | null => {
  if (a.currency === null || b.currency === null) return null;
  return a.currency === b.currency || a.currency.toUpperCase() === b.currency.toUpperCase();
};

const compareMoney = (a: Money, b: Money): boolean | null => {
  if (isSameCurrency(a, b) === false) return false;
  if (a.amount === null || b.amount === null) return null;
  const amounts = compareDecimals(a.amount, b.amount);
  // A currency that nobody states is one that nobody contradicts: Square's and Shopify's seeds compare amounts alone.
  return amounts === null ? null : amounts === 0;
};

/** Whether all of the printed instant `a` lies more than `skewMs` before `b`. */
export const isBefore = (a: PrintedInstant, b: PrintedInstant, skewMs: number): boolean =>
  a.endMs <= b.startMs - skewMs;
