import type { Contract } from '../evaluator/contract.ts';
import { conditionsDoNotConflict, contradictionsMirrorConditions, namesAreUnique } from './lint/conditions.ts';
import {
  correlationIsPossible,
  levelsFitTheirSource,
  minimumIsReachable,
  optionalChannelsMayBeSilent,
  verifiedConditionsAreFed,
} from './lint/evidence.ts';
import type { LintFinding, LintRule } from './lint/finding.ts';
import { moneyIsHeldToTheIntent } from './lint/money.ts';
import { aggregatesAreComplete, operatorsFitTheirValues } from './lint/operators.ts';
import { channelsAreRead, intentIsDeclared, pathsLeadSomewhere } from './lint/paths.ts';
import { pendingWordsDoNotVerify } from './lint/pending.ts';
import { stateRulesAreReachable, stateRulesLeaveVerifiedAlone } from './lint/states.ts';
import { timingMakesSense } from './lint/timing.ts';

const RULES: readonly LintRule[] = [
  pathsLeadSomewhere,
  intentIsDeclared,
  channelsAreRead,
  verifiedConditionsAreFed,
  optionalChannelsMayBeSilent,
  minimumIsReachable,
  levelsFitTheirSource,
  correlationIsPossible,
  contradictionsMirrorConditions,
  conditionsDoNotConflict,
  namesAreUnique,
  stateRulesAreReachable,
  stateRulesLeaveVerifiedAlone,
  pendingWordsDoNotVerify,
  moneyIsHeldToTheIntent,
  operatorsFitTheirValues,
  aggregatesAreComplete,
  timingMakesSense,
];

/** Finds what a schema cannot: conditions that nothing feeds, rules that never decide, contradictions of nothing. */
export const lintContract = (contract: Contract): LintFinding[] => RULES.flatMap((rule) => rule(contract));

export type { LintFinding } from './lint/finding.ts';
