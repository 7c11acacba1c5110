// Appends entries to the journal at argv[2] until it is killed, and prints the number of each that was acknowledged.
import { Journal } from '../../src/drivers/memory/journal.ts';

const write = async (path: string, round: string): Promise<void> => {
  const journal = await Journal.open(path, { onEntry: () => undefined, onWarning: () => undefined });
  for (let number = 0; ; number += 1) {
    await journal.append([`${round}:${number}:${'x'.repeat(20_000)}`]);
    process.stdout.write(`${number}\n`);
  }
};

void write(process.argv[2] ?? '', process.argv[3] ?? '');
