import { type PlayOptions, play } from './play.ts';

/*
 * One of the processes among which `main.ts` shares out its seeds: it is told the options, then one seed after the other, and
 * answers with what each came to. Why it ends is for its parent to say; without one it ends too.
 */
let options: PlayOptions | null = null;
const answer = async (message: PlayOptions | number): Promise<void> => {
  if (typeof message !== 'number') options = message;
  else if (options !== null) process.send?.(await play(message, options));
};

process.on('message', (message: PlayOptions | number) => {
  void answer(message);
});
process.on('disconnect', () => process.exit());
