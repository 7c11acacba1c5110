import { type Channel, type Contract, type EvidenceLevel, isEventChannel } from '../../evaluator/contract.ts';
import { parsePath } from '../../evaluator/path.ts';
import { comparisonsOf, isPathText, type LintFinding, type LintRule, lintError, lintWarning } from './finding.ts';

const LEVELS: readonly EvidenceLevel[] = ['E0', 'E1', 'E2', 'E3'];
const LEVEL_OF = { provider_readback: 'E2', provider_event: 'E3', action: 'E1' } as const;

const channelOf = (text: string): string | null => {
  const path = parsePath(text);
  return 'problem' in path ? null : path.channel;
};

const channelNamed = (contract: Contract, name: string): Channel | undefined =>
  Object.hasOwn(contract.channels, name) ? contract.channels[name] : undefined;

/** A VERIFIED condition must be fed by the channel it names as its evidence, and that channel must be sure to speak. */
export const verifiedConditionsAreFed: LintRule = (contract) =>
  contract.verified.flatMap((condition, index): LintFinding[] => {
    const at = ['verified', index, 'evidence'];
    const evidence = channelNamed(contract, condition.evidence);
    if (evidence === undefined)
      return [
        lintError(
          'evidence-undeclared',
          at,
          condition.evidence,
          `a declared channel: ${Object.keys(contract.channels).join(', ')}`,
        ),
      ];
    const feeding = channelOf(condition.path);
    if (feeding === null)
      return [
        lintError(
          'condition-unfed',
          ['verified', index, 'path'],
          condition.path,
          'a path of $observed: no channel feeds this condition',
        ),
      ];
    if (feeding !== condition.evidence)
      return [lintError('evidence-differs', at, condition.evidence, `${feeding}, the channel of its path`)];
    return [];
  });

/** What is optional may be silent: VERIFIED must not read it, and a contradiction on it must let silence pass. */
export const optionalChannelsMayBeSilent: LintRule = (contract) =>
  comparisonsOf(contract).flatMap(({ comparison, path, use, index }): LintFinding[] => {
    const optional = [comparison.path, comparison.expected]
      .filter(isPathText)
      .map(channelOf)
      .find((name) => name !== null && channelNamed(contract, name)?.optional === true);
    if (optional === undefined) return [];
    if (use === 'verified')
      return [
        lintError(
          'optional-in-verified',
          [...path, 'path'],
          `read from ${optional}, which is optional`,
          'read from a channel that is not',
        ),
      ];
    if (use === 'contradicted' && contract.contradicted[index]?.when_unknown !== 'pass')
      return [
        lintError(
          'optional-holds',
          ['contradicted', index],
          `without when_unknown: pass, on ${optional}, which is optional`,
          'when_unknown: pass, else silence holds VERIFIED back for ever',
        ),
      ];
    return [];
  });

/** The channels that VERIFIED rests on can reach the minimum level and number. */
export const minimumIsReachable: LintRule = (contract) => {
  const {
    minimum_level: minimum,
    minimum_channels: wanted,
    independent_channel_required: independent,
  } = contract.evidence;
  const usable = [...new Set(contract.verified.map((condition) => channelOf(condition.path)))].filter((name) => {
    const channel = name === null ? undefined : channelNamed(contract, name);
    if (channel === undefined || channel.optional === true) return false;
    if (independent && channel.independence === 'action') return false;
    return LEVELS.indexOf(channel.level) >= LEVELS.indexOf(minimum);
  });
  if (usable.length === 0)
    return [
      lintError(
        'level-below-minimum',
        ['evidence', 'minimum_level'],
        minimum,
        `reached by${independent ? ' an independent' : ' a'} channel that a verified condition reads and that is not optional`,
      ),
    ];
  if (usable.length < wanted)
    return [
      lintError(
        'channels-below-minimum',
        ['evidence', 'minimum_channels'],
        String(wanted),
        `at most ${usable.length}: that many channels of ${minimum} or better feed verified conditions`,
      ),
    ];
  return [];
};

/** E1 is the action's own answer, E2 a provider readback, E3 an authenticated provider event. */
export const levelsFitTheirSource: LintRule = (contract) =>
  Object.entries(contract.channels).flatMap(([name, channel]): LintFinding[] => {
    const found: LintFinding[] = [];
    const level = LEVEL_OF[channel.independence];
    if (channel.level !== level)
      found.push(
        lintError(
          'level-misstated',
          ['channels', name, 'level'],
          channel.level,
          `${level}, since it is a ${channel.independence}`,
        ),
      );
    if (isEventChannel(channel) === (channel.independence === 'provider_readback'))
      found.push(
        lintError(
          'source-misstated',
          ['channels', name, 'independence'],
          channel.independence,
          isEventChannel(channel)
            ? 'provider_event, since its verifier is webhook'
            : 'provider_readback, since its verifier is http',
        ),
      );
    return found;
  });

/** Strong correlation must be possible where it is asked for, and a contract should notice a second refund. */
export const correlationIsPossible: LintRule = (contract) => {
  const found: LintFinding[] = [];
  const { strategies, required_assurance: required } = contract.correlation;
  if (required === 'strong' && !strategies.some((strategy) => strategy.assurance === 'strong'))
    found.push(
      lintError(
        'no-strong-strategy',
        ['correlation', 'strategies'],
        'weak strategies only',
        'one that is strong, since required_assurance is strong',
      ),
    );
  const isBound =
    required === 'strong' || strategies.some(({ required: must, assurance }) => must && assurance === 'strong');
  if (!isBound)
    found.push(
      lintWarning(
        'weak-binding-suffices',
        ['correlation'],
        'satisfied by payment and amount',
        'required_assurance: strong, or a required strong strategy',
      ),
    );
  if (!contract.contradicted.some((condition) => condition.class === 'duplicate_side_effect'))
    found.push(
      lintWarning(
        'no-duplicate-rule',
        ['contradicted'],
        'without a duplicate_side_effect',
        'one that counts refunds: a second one would go unseen',
      ),
    );
  return found;
};
