import type { Comparison, Contract, InputField } from '../evaluator/contract.ts';
import type { Json, JsonObject } from '../evaluator/json.ts';
import { currencyExponent } from './currency.ts';
import { showValue } from './problem.ts';

/** What is wrong with one field of an operation's input. */
export interface InputProblem {
  readonly field: string;
  readonly was: string;
  readonly shouldBe: string;
}

const ID_MAX = 255;
const AMOUNT_MAX = 32;
const INT64_MAX = 2n ** 63n - 1n;
const GID = /^gid:\/\/shopify\/[A-Za-z]+\/\d+$/;
const DECIMAL = /^(?:0|[1-9]\d*)(?:\.(\d+))?$/;

const fieldOfPath = (path: string): string => path.slice('$input.'.length);

const fieldValue = (input: JsonObject, field: string): Json | undefined =>
  Object.hasOwn(input, field) ? input[field] : undefined;

const comparisonsOf = (contract: Contract): readonly Comparison[] => {
  const all: Comparison[] = [
    ...contract.verified,
    ...contract.contradicted,
    ...contract.states.map((rule) => rule.match),
  ];
  return all.flatMap((comparison) => [comparison, ...(comparison.and ?? [])]);
};

/** The fields that the contract compares as text: it needs a currency as the provider prints it, in capitals. */
const fieldsComparedAsText = (contract: Contract): ReadonlySet<string> => {
  const held = comparedAsText.get(contract);
  if (held !== undefined) return held;
  const fields = new Set<string>();
  for (const { expected, as } of comparisonsOf(contract)) {
    if (typeof expected === 'string' && expected.startsWith('$input.') && as !== 'currency')
      fields.add(fieldOfPath(expected));
  }
  comparedAsText.set(contract, fields);
  return fields;
};

/** Worked out once a contract: every start is checked. */
const comparedAsText = new WeakMap<Contract, ReadonlySet<string>>();

/** The currency that the amounts are in, where the input names one. */
const currencyOf = (contract: Contract, input: JsonObject): string | null => {
  const named =
    contract.input.currency === null
      ? Object.keys(contract.input.fields).find((name) => contract.input.fields[name]?.type === 'currency')
      : fieldOfPath(contract.input.currency);
  const value = named === undefined ? undefined : fieldValue(input, named);
  return typeof value === 'string' && /^[A-Za-z]{3}$/.test(value) ? value.toUpperCase() : null;
};

const example = (exponent: number): string => (exponent === 0 ? '"1000"' : `"10.${'0'.repeat(exponent)}"`);

const decimals = (exponent: number): string => (exponent === 0 ? 'no decimals' : `${exponent} decimals`);

const checkDecimal = (value: Json, contract: Contract, currency: string | null, exact: boolean): string | null => {
  const exponent = currency === null ? null : currencyExponent(currency, contract.provider);
  const wanted =
    exponent === null
      ? 'a decimal string of more than zero, e.g. "10.00"'
      : `a decimal string of more than zero with ${exact ? 'exactly' : 'at most'} ${decimals(exponent)} (${currency}), e.g. ${example(exponent)}`;
  if (typeof value !== 'string' || value.length > AMOUNT_MAX) return wanted;
  const match = DECIMAL.exec(value);
  if (match === null || !/[1-9]/.test(value)) return wanted;
  const length = match[1]?.length ?? 0;
  if (exponent === null) return null;
  return (exact ? length === exponent : length <= exponent) ? null : wanted;
};

const checkMinor = (value: Json): string | null => {
  const isMinor =
    typeof value === 'bigint'
      ? value > 0n && value <= INT64_MAX
      : typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
  return isMinor ? null : 'a positive integer of minor units, e.g. 1000 for 10.00 USD';
};

const isText = (value: Json): value is string => typeof value === 'string';

/** What the value should be; null where it is. */
const expectation = (
  field: InputField,
  name: string,
  value: Json,
  contract: Contract,
  currency: string | null,
): string | null => {
  switch (field.type) {
    case 'text':
      return isText(value) ? null : 'a string';
    case 'id':
      return isText(value) && value.length > 0 && value.length <= ID_MAX
        ? null
        : `a string of 1 to ${ID_MAX} characters, the id as the provider prints it`;
    case 'gid':
      return isText(value) && value.length <= ID_MAX && GID.test(value)
        ? null
        : 'a Shopify global id, e.g. "gid://shopify/Order/450789469"';
    case 'currency':
      if (fieldsComparedAsText(contract).has(name))
        return isText(value) && /^[A-Z]{3}$/.test(value)
          ? null
          : 'a currency code of three capital letters, e.g. "USD"';
      return isText(value) && /^[A-Za-z]{3}$/.test(value) ? null : 'a currency code of three letters, e.g. "USD"';
    case 'amount_exact':
      return checkDecimal(value, contract, currency, true);
    case 'amount_decimal':
      return checkDecimal(value, contract, currency, false);
    case 'amount_minor':
      return checkMinor(value);
  }
};

/**
 * Holds an operation's input against the fields that its contract declares: types, required fields, and decimals by currency
 * (JPY 0, USD 2, KWD 3). Empty when it is in order. Fields that the contract does not declare are nobody's business here.
 */
export const checkInput = (contract: Contract, input: JsonObject): InputProblem[] => {
  const currency = currencyOf(contract, input);
  const problems: InputProblem[] = [];
  for (const name of Object.keys(contract.input.fields)) {
    const field = contract.input.fields[name];
    const value = fieldValue(input, name);
    const isMissing = value === undefined || value === null;
    if (field === undefined || (isMissing && !field.required)) continue;
    const shouldBe = expectation(field, name, value ?? null, contract, currency) ?? (isMissing ? 'there' : null);
    if (shouldBe !== null) problems.push({ field: name, was: showValue(value), shouldBe });
  }
  return problems;
};
