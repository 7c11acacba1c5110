// Installs the packages and builds, where that is still to do.
import { script } from './setup/command.mjs';
import { setUp } from './setup/index.mjs';

await script(() => setUp());
