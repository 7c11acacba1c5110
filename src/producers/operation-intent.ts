import { checkInput } from '../contracts/input.ts';
import { OperatingError } from '../errors.ts';
import { type Contract, type ContractSet, type JsonObject, paymentKey } from '../evaluator/index.ts';
import { instantMs } from '../evaluator/instant.ts';
import { parsePath, valueAt } from '../evaluator/path.ts';
import type { OperationStarted } from '../records/index.ts';

/**
 * Holds a start against its contract as the consumer will, and gives its payment key.
 *
 * @throws OperatingError CONTRACT_UNKNOWN, or INPUT_INVALID that names the field, in `context.field` too.
 */
export const keyOfStart = (contracts: ContractSet, start: OperationStarted): string => {
  const contract = contractOf(contracts, start);
  const [problem, ...others] = checkInput(contract, start.input);
  if (problem !== undefined) {
    const told = [problem, ...others].map(
      ({ field, was, shouldBe }) => `input.${field} was ${was}, should be ${shouldBe}`,
    );
    throw invalid(`input.${problem.field}`, told.join('; '));
  }
  return paymentKey({
    provider: start.provider,
    account: start.account,
    paymentId: paymentIdOf(contract, start.input),
  });
};

const contractOf = (
  contracts: ContractSet,
  { contract, created_at: createdAt, provider }: OperationStarted,
): Contract => {
  const version = contract.version ?? null;
  const found = contracts.resolve(contract.id, version, Number(instantMs(createdAt)));
  if (found !== null && found.contract.provider === provider) return found.contract;
  const known = contracts.ofProvider(provider).map(({ ref }) => `${ref.id}@${ref.version}`);
  const named = version === null ? contract.id : `${contract.id}@${version}`;
  throw new OperatingError(
    'CONTRACT_UNKNOWN',
    `contract was ${named}, should be one of ${provider}'s: ${known.join(', ')}`,
    {
      context: { field: 'contract' },
    },
  );
};

const paymentIdOf = ({ input: { payment_id: path } }: Contract, input: JsonObject): string => {
  const parsed = parsePath(path);
  const value = 'problem' in parsed ? undefined : valueAt(input, parsed.segments);
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const field = path.replace(/^\$/, '');
  throw invalid(field, `${field} names no payment, should be the payment's id`);
};

const invalid = (field: string, reason: string): OperatingError =>
  new OperatingError('INPUT_INVALID', reason, { context: { field } });
