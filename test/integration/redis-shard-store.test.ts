import { describeShardStore } from '../conformance/shard-store.ts';
import { redisHarness, redisSettings } from './redis-store.ts';

describeShardStore('Redis', () => redisHarness(redisSettings()));
