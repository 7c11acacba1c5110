/**
 * What services in Node import: typed producers that refuse at the source what the consumer would refuse, the sinks they
 * write to, and the reader of verdicts.
 */
export { loadContracts } from './contracts/load.ts';
export { createAvroEncoder } from './drivers/kafka/avro-encoder.ts';
export { createKafkaRecordSink } from './drivers/kafka/record-sink.ts';
export { registerSchemas, type SchemaIds } from './drivers/kafka/registry.ts';
export type { RegistrySettings } from './drivers/kafka/registry-settings.ts';
export { SchemaCache } from './drivers/kafka/schema-cache.ts';
export { MemoryRecordSink } from './drivers/memory/record-sink.ts';
export { type ErrorCode, OperatingError } from './errors.ts';
export type { VerdictRecord } from './evaluator/index.ts';
export { systemClock } from './ports/clock.ts';
export { jsonEncoder, type RecordEncoder } from './ports/record-encoder.ts';
export type { OutgoingRecord, RecordSink } from './ports/record-sink.ts';
export type { SchemaLookup } from './ports/schema-lookup.ts';
export * from './producers/operation-producer.ts';
export type { ProducerOptions, Published, SendOptions } from './producers/outgoing.ts';
export * from './producers/readback-producer.ts';
export * from './producers/review-producer.ts';
export * from './producers/webhook-producer.ts';
export { decodeValue, NO_REGISTRY, type ReadAvro, type SealKey, schemaIdOf } from './records/index.ts';
export { parseVerdictRecord } from './records/verdict-record.ts';
