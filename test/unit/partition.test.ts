import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { murmur2, partitionOfKey } from '../../src/records/partition.ts';

const require = createRequire(import.meta.url);
const clientMurmur2 = require('kafkajs/src/producer/partitioners/default/murmur2') as (key: Buffer) => number;

test("gives the hashes that Kafka's own tests of murmur2 list", () => {
  // org.apache.kafka.common.utils.UtilsTest.testMurmur2
  const cases: [string, number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ];
  for (const [key, hash] of cases) expect(murmur2(Buffer.from(key))).toBe(hash);
  expect(murmur2(Buffer.from([97, 98, 99]))).toBe(479470107);
});

test("agrees with the Kafka client's partitioner on any key", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 1, max: 200 }), (key, count) => {
      const hash = clientMurmur2(Buffer.from(key));
      expect(murmur2(key)).toBe(hash);
      expect(partitionOfKey(key, count)).toBe((hash & 0x7fffffff) % count);
    }),
  );
});

test('hashes a key given as text by its UTF-8 bytes', () => {
  expect(partitionOfKey('shopify:läden:1', 12)).toBe(partitionOfKey(Buffer.from('shopify:läden:1', 'utf8'), 12));
});
