import { Pool } from 'undici';

/** What one turn should be like. */
export interface LoadQuestion {
  readonly address: string;
  readonly connections: number;
  readonly seconds: number;
  readonly deliveries: readonly Signed[];
}

/** What it was like. */
export interface LoadAnswer {
  readonly answered: number;
  /** anything but 200 */
  readonly refused: number;
  readonly seconds: number;
  readonly p99Ms: number;
}

export interface Signed {
  readonly body: string;
  readonly signature: string;
}

const run = async ({ address, connections, seconds, deliveries }: LoadQuestion): Promise<LoadAnswer> => {
  const pool = new Pool(address, { connections, pipelining: 1 });
  const latencies: number[] = [];
  let refused = 0;
  let next = 0;
  const begun = performance.now();
  const until = begun + seconds * 1000;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const { body, signature } = deliveries[next++ % deliveries.length] as Signed;
      const sentAt = performance.now();
      const answer = await pool.request({
        path: '/webhooks/square/default',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-square-hmacsha256-signature': signature },
        body,
      });
      await answer.body.dump();
      latencies.push(performance.now() - sentAt);
      if (answer.statusCode !== 200) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const took = (performance.now() - begun) / 1000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  return {
    answered: latencies.length,
    refused,
    seconds: took,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  };
};

process.on('message', (question: LoadQuestion) => {
  run(question).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      throw error;
    },
  );
});
