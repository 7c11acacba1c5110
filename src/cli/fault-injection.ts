import { type FaultPoint, type FaultPoints, noFaults } from '../ports/fault-points.ts';

/**
 * For crash tests: `COUNTERSIGN_FAULT=after-commit:17` ends the process, as `kill -9` does, when it comes to that point the 17th
 * time. Without the variable nothing is ever hit.
 */
export const faultPointsFrom = (env: Readonly<Record<string, string | undefined>>): FaultPoints => {
  const fault = env['COUNTERSIGN_FAULT'];
  if (fault === undefined || fault === '') return noFaults;
  const [point, times] = fault.split(':');
  let left = Number(times ?? '1');
  return {
    hit: (at: FaultPoint) => {
      if (at !== point) return;
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
    },
  };
};
