import Table from 'cli-table3';
import type { CompiledContract } from '../../evaluator/compile.ts';
import { type Comparison, type Contract, isEventChannel } from '../../evaluator/contract.ts';
import { wrapText } from './wrap.ts';

const WIDTH_MIN = 60;

/** A table whose last column takes the width that is left; text wraps at words. */
const table = (head: readonly string[], rows: readonly (readonly string[])[], width: number): string => {
  const widest = head.map(
    (name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)) + 2,
  );
  const room = Math.max(width, WIDTH_MIN) - head.length - 1;
  let total = widest.reduce((sum, one) => sum + one, 0);
  const columns = [...widest];
  // Narrow the widest column again and again, so that short columns keep their words whole.
  while (total > room) {
    const largest = Math.max(...columns);
    const index = columns.indexOf(largest);
    if (largest <= 12) break;
    columns[index] = largest - 1;
    total -= 1;
  }
  const made = new Table({ head: [...head], colWidths: columns, style: { head: [], border: [] } });
  for (const row of rows) made.push(row.map((cell, column) => wrapText(cell, (columns[column] ?? WIDTH_MIN) - 2)));
  return made.toString();
};

const aggregateText = ({ aggregate }: Comparison): string => {
  if (aggregate === undefined) return '';
  const where = Object.entries(aggregate.where ?? {}).map(([field, values]) => `${field} in ${values.join(', ')}`);
  const parts = [
    aggregate.of === undefined ? '' : `of ${aggregate.of}`,
    where.length === 0 ? '' : `where ${where.join(' and ')}`,
    aggregate.currency === undefined ? '' : `in ${aggregate.currency}`,
  ];
  return [` | ${aggregate.op}`, ...parts.filter((part) => part !== '')].join(' ');
};

const expectedText = ({ expected, as }: Comparison): string =>
  `${typeof expected === 'string' ? expected : JSON.stringify(expected)}${as === undefined ? '' : ` as ${as}`}`;

/** `$observed.refund_readback.status eq COMPLETED, and …` */
const comparisonText = (comparison: Comparison): string =>
  [
    `${comparison.path}${aggregateText(comparison)} ${comparison.operator} ${expectedText(comparison)}`,
    ...(comparison.and ?? []).map((guard) => `and ${comparisonText(guard)}`),
  ].join(' ');

const yes = (value: boolean | null | undefined): string =>
  value === true ? 'yes' : value === false ? 'no' : 'not stated';

const pairs = (record: Readonly<Record<string, string>>): string =>
  Object.entries(record)
    .map(([name, path]) => `${name} from ${path}`)
    .join('; ');

const identityRows = (contract: Contract, hash: string): string[][] => [
  ['Contract', `${contract.contract.id} ${contract.contract.version}`],
  ['Hash', hash],
  ...(contract.published_hash === undefined ? [] : [['Published hash', contract.published_hash]]),
  ['Provider', contract.provider],
  [
    'Completion level',
    `${contract.completion_level}${contract.proves_money ? ' (proves money)' : ' (does not prove money)'}`,
  ],
  ['Publisher', contract.publisher ?? 'not stated'],
  ['Certification', contract.certification ?? 'not stated'],
  ['Provider API versions', contract.provider_api_versions.join(', ') || 'not stated'],
  ['In effect from', contract.effective_from ?? 'always'],
  ['Intent', contract.intent],
  ['Subject', `${contract.subject.type}; ${pairs(contract.subject.identity)}`],
  ['Canonical effect', contract.subject.canonical_effect],
  ['Provider operation', contract.subject.provider_operation],
  [
    'Idempotency',
    contract.idempotency.key === null
      ? 'not stated'
      : `${contract.idempotency.key}${contract.idempotency.through === null ? '' : ` through ${contract.idempotency.through}`}; retry is safe: ${yes(contract.idempotency.retry_is_safe)}`,
  ],
];

const evidenceText = ({ evidence, correlation }: Contract): string =>
  [
    `Minimum level ${evidence.minimum_level}. ${evidence.independent_channel_required ? 'An independent channel is required.' : 'No independent channel is required.'}`,
    `Minimum channels: ${evidence.minimum_channels}.`,
    evidence.attribution === 'none'
      ? 'Every refund of the payment since the operation started counts.'
      : 'Refunds are attributed to the operations of the payment.',
    ...(correlation.required_assurance === undefined ? [] : ['A strong correlation is required.']),
  ].join(' ');

const adviceText = ({ advice, escalate_to: asked }: Contract['states'][number]): string => {
  const said = advice?.replaceAll('_', ' ') ?? '';
  if (asked === undefined) return said;
  return advice === 'ask_person' ? `${said} (${asked})` : `${said}; ${asked} is asked where it comes to ask person`;
};

const channelRows = (contract: Contract): string[][] =>
  Object.entries(contract.channels).map(([name, channel]) => [
    name,
    channel.level,
    `${channel.independence.replace('_', ' ')}${channel.optional === true ? ', optional' : ''}`,
    isEventChannel(channel)
      ? `${channel.events.types.join(', ')} of the ${channel.events.of}${channel.events.statuses === undefined ? '' : ` with status ${channel.events.statuses.join(', ')}`}`
      : `reads the ${channel.reads}${channel.volatile === undefined ? '' : `; may lag: ${channel.volatile.join(', ')}`}`,
    channel.description,
  ]);

const timingRows = ({ timing, on_timeout: onTimeout }: Contract): string[][] => [
  ['Initial delay', `${timing.initial_delay_ms} ms`],
  ['Poll interval', `${timing.poll_interval_ms} ms`],
  ['Backoff', `exponential factor ${timing.backoff_factor}, max ${timing.backoff_max_ms} ms`],
  ['Maximum attempts', String(timing.max_attempts)],
  ['Timeout', `${timing.timeout_ms} ms`],
  ['Stale read window', `${timing.stale_read_window_ms} ms`],
  ['Attribution window', `${timing.attribution_window_ms} ms`],
  ['Clock skew', `${timing.clock_skew_ms} ms`],
  ['Watch period', `${timing.watch_period_ms} ms`],
  ['On timeout', `${onTimeout.verdict} (${onTimeout.reason}), escalated to a ${onTimeout.escalate_to}`],
];

/** Everything a contract says, as tables for a terminal of `width` columns. */
export const showContract = ({ contract, ref }: CompiledContract, width: number): string => {
  const section = (title: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0 ? [] : ['', title, table(head, rows, width)];
  return [
    contract.title,
    '',
    wrapText(contract.proves, Math.max(width, WIDTH_MIN)),
    ...section('Identity', ['Fact', 'Value'], identityRows(contract, ref.hash)),
    ...section(
      'Input',
      ['Field', 'Type', 'Required', 'Description'],
      Object.entries(contract.input.fields).map(([name, field]) => [
        name,
        field.type,
        yes(field.required),
        field.description ?? '',
      ]),
    ),
    ...section(
      'How the evidence correlates',
      ['Strategy', 'Assurance', 'Keys', 'Required'],
      contract.correlation.strategies.map((one) => [one.strategy, one.assurance, pairs(one.keys), yes(one.required)]),
    ),
    '',
    evidenceText(contract),
    ...section('Channels', ['Channel', 'Level', 'Independence', 'What', 'Description'], channelRows(contract)),
    ...section(
      'VERIFIED when all of these hold',
      ['Condition', 'Meaning', 'Comparison', 'Evidence'],
      contract.verified.map((one) => [one.name, one.meaning, comparisonText(one), one.evidence]),
    ),
    ...section(
      'CONTRADICTED when one of these holds',
      ['Condition', 'Class', 'Reason', 'Comparison', 'If unknown'],
      contract.contradicted.map((one) => [
        one.name,
        one.class.replaceAll('_', ' '),
        one.reason,
        comparisonText(one),
        one.when_unknown === 'pass' ? 'pass' : 'hold',
      ]),
    ),
    ...section(
      'States before completion',
      ['Rule', 'Match', 'Verdict', 'Reason', 'Advice'],
      contract.states.map((one) => [
        one.name,
        comparisonText(one.match),
        one.class === undefined ? one.verdict : `${one.verdict} (${one.class})`,
        one.reason,
        adviceText(one),
      ]),
    ),
    ...section('Timing', ['Member', 'Value'], timingRows(contract)),
    ...section(
      'Where these rules come from',
      ['Rule', 'Source', 'Address', 'Retrieved'],
      contract.provenance.map((one) => [one.rule, one.source, one.url ?? '', one.retrieved ?? '']),
    ),
    '',
  ].join('\n');
};
