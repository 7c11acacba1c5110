import fc from 'fast-check';

/** COUNTERSIGN_TEST_SEED fixes what the property tests draw, so that luck does not decide a run; without it each draws anew. */
const seed = process.env.COUNTERSIGN_TEST_SEED;
if (seed !== undefined) {
  if (!/^-?\d+$/.test(seed))
    throw new Error(`COUNTERSIGN_TEST_SEED should be a whole number; it was ${JSON.stringify(seed)}.`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
}
