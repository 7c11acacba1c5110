const SEED = 0x9747b28c | 0;
const M = 0x5bd1e995;
const R = 24;

/**
 * Kafka's own hash of a record key: murmur2 with Java's seed, as a signed 32-bit number
 * (org.apache.kafka.common.utils.Utils.murmur2).
 */
export const murmur2 = (data: Uint8Array): number => {
  const length = data.length;
  const view = new DataView(data.buffer, data.byteOffset, length);
  let h = SEED ^ length;
  const tail = length & ~3;
  for (let i = 0; i < tail; i += 4) {
    let k = Math.imul(view.getInt32(i, true), M);
    k = Math.imul(k ^ (k >>> R), M);
    h = Math.imul(h, M) ^ k;
  }
  const rest = length & 3;
  if (rest === 3) h ^= view.getUint8(tail + 2) << 16;
  if (rest >= 2) h ^= view.getUint8(tail + 1) << 8;
  if (rest >= 1) h = Math.imul(h ^ view.getUint8(tail), M);
  h = Math.imul(h ^ (h >>> 13), M);
  return h ^ (h >>> 15);
};

const utf8 = new TextEncoder();

/** The partition that Java's (and KafkaJS's) default partitioner gives a key. `count` is the topic's partition count. */
export const partitionOfKey = (key: string | Uint8Array, count: number): number =>
  (murmur2(typeof key === 'string' ? utf8.encode(key) : key) & 0x7fffffff) % count;
