import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../examples/receipts-verifier', import.meta.url));
const NEEDED =
  'python3 with the packages of examples/receipts-verifier/requirements.txt, or COUNTERSIGN_PYTHON that names one';

const asked = process.env['COUNTERSIGN_PYTHON'];
const python = asked ?? 'python3';

/** Whether there is a Python with what the second verifier needs. Where one is asked for, it must be there. */
export const hasPython = spawnSync(python, ['-c', 'import jwt, cryptography']).status === 0;
if (asked !== undefined && !hasPython) throw new Error(`COUNTERSIGN_PYTHON is ${asked}; it should be ${NEEDED}`);

/** For the name of what is left out without it. */
export const WHY_NOT = hasPython ? '' : ` (left out: there is no ${NEEDED})`;

/** Runs it in the folder of the second verifier; its answer is JSON, a value a line. */
export const runPython = (
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly lines: Record<string, unknown>[] } => {
  const { status, stdout, stderr } = spawnSync(python, args, {
    input,
    cwd: FOLDER,
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  if (stderr !== '') throw new Error(stderr);
  const lines = stdout.split('\n').filter(Boolean);
  return { status, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
};
