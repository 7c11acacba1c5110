import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/**
 * A frame belongs to the first stage whose files it is in; a frame in none (and printing JSON, which several stages do) belongs
 * to its caller's stage.
 */
const STAGES: readonly (readonly [stage: string, files: RegExp])[] = [
  ['decode', /consumers\/decode|records\/(codec|from-avro|parse|json-text|exact-json)|drivers\/kafka\/consumed-record/],
  ['admit', /consumers\/(admit|digest|canonical)|providers\//],
  ['reduce', /evaluator\/|consumers\/reduce/],
  ['encode', /records\/state-|consumers\/commit\.|drivers\/packed-state/],
  ['commit', /consumers\/(commit-shard|load)|drivers\/redis\/|node_modules\/(ioredis|redis-parser)/],
  [
    'publish',
    /drivers\/kafka\/(verdict|seal|avro|publication|schema|wire\/(?!record-reader))|records\/to-avro|kafkajs\/src\/(producer|protocol\/request)|node_modules\/avsc/,
  ],
  ['fetch', /kafkajs\/src\/(consumer|protocol|network)|drivers\/kafka\/(input|wire)/],
];

const ownStage = ({ callFrame: { functionName, url } }: ProfileNode): string | null => {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(idle)') return 'idle';
  if (/^print(Json|Exact)$/.test(functionName)) return null;
  return STAGES.find(([, files]) => files.test(url))?.[0] ?? null;
};

/** Shares of the CPU time of the profile in `folder`, idle time left out, largest first. */
export const stageShares = (folder: string): [stage: string, share: number][] => {
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Error('the process left no profile');
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile;
  const parents = new Map<number, number>();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const { id, children = [] } of profile.nodes) for (const child of children) parents.set(child, id);
  const stageOf = (id: number): string => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = nodes.get(at);
      const stage = node === undefined ? null : ownStage(node);
      if (stage !== null) return stage;
    }
    return 'other';
  };
  const spent = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const stage = stageOf(id);
    if (stage !== 'idle') spent.set(stage, (spent.get(stage) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  const total = [...spent.values()].reduce((sum, one) => sum + one, 0);
  return [...spent].map(([stage, micros]): [string, number] => [stage, micros / total]).sort((a, b) => b[1] - a[1]);
};
