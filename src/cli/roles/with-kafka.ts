import type { Config } from '../../config/schema.ts';
import { secretsOf } from '../../config/secrets.ts';
import { createLogger } from '../../observability/logger.ts';
import { type KafkaEdge, openKafkaEdge } from './kafka-edge.ts';

/** Connects for one command, and lets go whatever comes of it. What the client has to say stays unsaid: the command says it. */
export const withKafka = async <T>(config: Config, run: (edge: KafkaEdge) => Promise<T>): Promise<T> => {
  const logger = createLogger({ level: 'silent', secrets: secretsOf(config), role: 'command' });
  const edge = await openKafkaEdge(config, logger);
  try {
    return await run(edge);
  } finally {
    await edge.close();
  }
};
