// Compiles src/ into dist/, whether or not it seems necessary.
import { build } from './setup/build.mjs';
import { script } from './setup/command.mjs';
import { setUp } from './setup/index.mjs';

await script(async () => {
  await setUp({ built: false });
  await build();
});
