// Imports point inward only:
//   evaluator ◀ records ◀ contracts, ports ◀ providers, observability, config ◀ consumers, producers, receipts, handoff, console
//   ◀ drivers ◀ main, cli
//   evaluator ◀ records ◀ contracts, ports, observability ◀ sandbox ◀ main, cli
// Each rule says what a layer may import; everything else is refused.

/** @param {string} layer @param {readonly string[]} inward @param {string} why */
const onlyInward = (layer, inward, why) => ({
  name: `${layer}-imports-inward`,
  comment: why,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: '^src/', pathNot: [`^src/${layer}/`, '^src/errors\\.ts$', ...inward.map((name) => `^src/${name}/`)] },
});

const CORE = ['evaluator', 'records', 'contracts', 'ports'];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'evaluator-is-pure',
      comment: 'No clock, no I/O, no package: the evaluator is a function of its arguments, and replay depends on it.',
      severity: 'error',
      from: { path: '^src/evaluator/' },
      to: { pathNot: '^src/evaluator/' },
    },
    onlyInward('records', ['evaluator'], 'Record forms know the core and nothing else.'),
    onlyInward('contracts', ['evaluator', 'records'], 'Contracts are data for the core.'),
    onlyInward('ports', ['evaluator', 'records', 'contracts'], 'Ports are types over the core.'),
    onlyInward('providers', CORE, 'A provider knows the core, and no other edge.'),
    onlyInward('observability', CORE, 'What is seen from outside knows no role.'),
    onlyInward('config', [...CORE, 'providers'], 'The configuration knows what it configures, not who runs it.'),
    onlyInward(
      'consumers',
      [...CORE, 'providers', 'observability', 'config'],
      'Consumers reach servers through ports, not drivers.',
    ),
    onlyInward(
      'producers',
      [...CORE, 'providers', 'observability', 'config'],
      'Producers reach servers through ports, not drivers.',
    ),
    onlyInward(
      'receipts',
      [...CORE, 'providers', 'observability', 'config'],
      'Receipts reach servers through ports, not drivers.',
    ),
    onlyInward(
      'handoff',
      [...CORE, 'providers', 'observability', 'config', 'receipts'],
      'The handoff reaches servers through ports, not drivers.',
    ),
    onlyInward(
      'console',
      [...CORE, 'providers', 'observability', 'config', 'receipts', 'handoff'],
      'Read models reach servers through ports, not drivers.',
    ),
    onlyInward(
      'drivers',
      [...CORE, 'providers', 'observability', 'config', 'consumers', 'producers', 'receipts', 'handoff', 'console'],
      'Drivers implement ports; the command line knows both.',
    ),
    onlyInward(
      'sandbox',
      [...CORE, 'observability'],
      'The stand-in knows nothing of how we read it: else the two could be wrong together.',
    ),
    {
      name: 'drivers-are-independent',
      comment: 'A driver can be left out or replaced without touching another.',
      severity: 'error',
      from: { path: '^src/drivers/([^/]+)/' },
      to: { path: '^src/drivers/([^/]+)/', pathNot: '^src/drivers/$1/' },
    },
    {
      name: 'providers-are-independent',
      comment: 'What one provider does must not change how another is read.',
      severity: 'error',
      from: { path: '^src/providers/([^/]+)/' },
      to: { path: '^src/providers/([^/]+)/', pathNot: '^src/providers/$1/' },
    },
    {
      name: 'no-development-packages',
      comment: 'What runs must be a dependency, not a development tool.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js'],
    },
  },
};
