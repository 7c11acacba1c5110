const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** CPU time of the whole process (its collector's threads with it) by stage; what is before {@link StageClock.warm} is forgotten. */
export class StageClock {
  readonly #spent = new Map<string, number>();
  #last = 0;
  #warmFrom: number | null = null;

  start(): void {
    this.#last = cpuMicros();
  }

  /** What has passed since the last call was the stage's. */
  ends(stage: string): void {
    const now = cpuMicros();
    this.#spent.set(stage, (this.#spent.get(stage) ?? 0) + now - this.#last);
    this.#last = now;
  }

  /** From here on it counts; the first call alone does something. */
  warm(records: number): void {
    if (this.#warmFrom !== null) return;
    this.#warmFrom = records;
    this.#spent.clear();
  }

  /** By stage in the order of the stages, and all of it. */
  shares(records: number): { stage: string; micros: number; share: number }[] {
    const counted = records - (this.#warmFrom ?? 0);
    const total = [...this.#spent.values()].reduce((sum, one) => sum + one, 0);
    const rows = [...this.#spent, ['all', total] as const];
    return rows.map(([stage, micros]) => ({ stage, micros: micros / counted, share: micros / total }));
  }
}
