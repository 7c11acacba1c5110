import { type Contract, type InputField, isEventChannel } from '../../evaluator/contract.ts';
import { type Path, parsePath } from '../../evaluator/path.ts';
import { comparisonsOf, isPathText, type LintFinding, type LintRule, lintError, lintWarning } from './finding.ts';

const EVENT_FIELDS = ['events', 'count', 'latest', 'earliest', 'types', 'duplicates_dropped'];
const OPERATION_FIELDS = ['id', 'created_at', 'idempotency_key'];
const BOUND_FIELDS = ['refund_id', 'payment_id', 'strategy', 'assurance'];
const ACTION_FIELDS = ['result', 'completed_at', 'error'];

const list = (names: readonly string[]): string => names.join(', ');

const oneOf = (path: Path, names: readonly string[]): string | null =>
  names.includes(String(path.segments[0])) ? null : `$${path.root}.<one of ${list(names)}>`;

/** Members that every object inherits. Paths read own members alone, so that one of these is at best never there. */
const INHERITED = ['__proto__', 'constructor', 'prototype'];

const findInherited = (text: string, at: readonly PropertyKey[]): LintFinding[] => {
  const names = text.split('.').map((part) => part.replace(/(?:\[\d+\])+$/, ''));
  return names.some((name) => INHERITED.includes(name))
    ? [lintError('path-inherited', at, text, `a path without ${INHERITED.join(', ')}: no provider says that`)]
    : [];
};

/** What the path should have been; null where it can lead somewhere. */
const deadEnd = (contract: Contract, path: Path): string | null => {
  switch (path.root) {
    case 'operation':
      return oneOf(path, OPERATION_FIELDS);
    case 'bound':
      return oneOf(path, BOUND_FIELDS);
    case 'action':
      return oneOf(path, ACTION_FIELDS);
    case 'input':
      return oneOf(path, Object.keys(contract.input.fields));
    case 'observed': {
      const channel = Object.hasOwn(contract.channels, path.channel ?? '')
        ? contract.channels[path.channel ?? '']
        : undefined;
      if (channel === undefined) return `a declared channel: ${list(Object.keys(contract.channels))}`;
      if (path.segments.length === 0) return 'a field inside the channel';
      if (isEventChannel(channel) && !EVENT_FIELDS.includes(String(path.segments[0])))
        return `a field of an event channel: ${list(EVENT_FIELDS)}`;
      return null;
    }
  }
};

const findDeadEnd = (contract: Contract, text: string, at: readonly PropertyKey[]): LintFinding[] => {
  const path = parsePath(text);
  if ('problem' in path) return [lintError('path-leads-nowhere', at, text, path.problem)];
  const inherited = findInherited(text, at);
  if (inherited.length > 0) return inherited;
  const shouldBe = deadEnd(contract, path);
  return shouldBe === null ? [] : [lintError('path-leads-nowhere', at, text, shouldBe)];
};

/** Paths of comparisons, identity, correlation and channels' needs that lead into no declared channel, input field or known root field. */
export const pathsLeadSomewhere: LintRule = (contract) => [
  ...comparisonsOf(contract).flatMap(({ comparison, path }) => [
    ...findDeadEnd(contract, comparison.path, [...path, 'path']),
    ...(isPathText(comparison.expected) ? findDeadEnd(contract, comparison.expected, [...path, 'expected']) : []),
    ...(isPathText(comparison.aggregate?.currency)
      ? findDeadEnd(contract, comparison.aggregate.currency, [...path, 'aggregate', 'currency'])
      : []),
    ...findInherited(comparison.aggregate?.of ?? '', [...path, 'aggregate', 'of']),
    ...Object.keys(comparison.aggregate?.where ?? {}).flatMap((field) =>
      findInherited(field, [...path, 'aggregate', 'where', field]),
    ),
  ]),
  ...Object.entries(contract.subject.identity).flatMap(([name, text]) =>
    findDeadEnd(contract, text, ['subject', 'identity', name]),
  ),
  ...Object.entries(contract.channels).flatMap(([name, channel]) =>
    isEventChannel(channel) || channel.needs === undefined
      ? []
      : findDeadEnd(contract, channel.needs, ['channels', name, 'needs']),
  ),
  ...contract.correlation.strategies.flatMap((strategy, index) =>
    Object.entries(strategy.keys).flatMap(([name, text]) =>
      findDeadEnd(contract, text, ['correlation', 'strategies', index, 'keys', name]),
    ),
  ),
];

const AMOUNTS: readonly InputField['type'][] = ['amount_decimal', 'amount_exact', 'amount_minor'];

/** payment_id, amount and currency of the input are declared fields of a fitting type that every operation has. */
export const intentIsDeclared: LintRule = (contract) => {
  const { input } = contract;
  const check = (part: 'payment_id' | 'amount' | 'currency', types: readonly InputField['type'][]): LintFinding[] => {
    const text = input[part];
    if (text === null) return [];
    const name = text.slice('$input.'.length);
    const field = Object.hasOwn(input.fields, name) ? input.fields[name] : undefined;
    if (field === undefined)
      return [
        lintError(
          'intent-undeclared',
          ['input', part],
          text,
          `a field declared under input.fields: ${list(Object.keys(input.fields))}`,
        ),
      ];
    const found: LintFinding[] = [];
    if (!types.includes(field.type))
      found.push(
        lintError(
          'intent-type',
          ['input', 'fields', name, 'type'],
          field.type,
          `one of ${list(types)}, since input.${part} is ${text}`,
        ),
      );
    if (!field.required)
      found.push(
        lintError(
          'intent-optional',
          ['input', 'fields', name, 'required'],
          'false',
          `true, since input.${part} is ${text}`,
        ),
      );
    return found;
  };
  return [...check('payment_id', ['id', 'gid']), ...check('amount', AMOUNTS), ...check('currency', ['currency'])];
};

/** Declared channels that no condition or rule reads. */
export const channelsAreRead: LintRule = (contract) => {
  const read = new Set(
    comparisonsOf(contract).flatMap(({ comparison }) =>
      [comparison.path, comparison.expected].filter(isPathText).map((text) => {
        const path = parsePath(text);
        return 'problem' in path ? null : path.channel;
      }),
    ),
  );
  return Object.keys(contract.channels)
    .filter((name) => !read.has(name))
    .map((name) =>
      lintWarning('channel-unread', ['channels', name], 'read by no condition', 'read by one, or left out'),
    );
};
