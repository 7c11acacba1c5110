import { describe, expect, it } from 'vitest';
import {
  checkRecordKey,
  INPUT_TOPIC_KINDS,
  INPUT_TOPICS,
  inputTopicOf,
  type OperationActed,
  paymentKeyOf,
  prefixedTopic,
  topicOfKind,
  verdictKey,
} from '../../../src/records/index.ts';
import { actedExample } from './examples.ts';

describe('keys', () => {
  it('names a payment, and one of its operations', () => {
    const key = paymentKeyOf(actedExample() as unknown as OperationActed);
    expect(key).toBe('paypal:merchant-1:3C679366HH908993R');
    expect(verdictKey(key, 'op-1')).toBe('paypal:merchant-1:3C679366HH908993R/op-1');
  });

  it('refuses another key than the record names, except on a webhook and where there is none', () => {
    expect(checkRecordKey('operation.acted', 'paypal:a:p', 'paypal:a:p')).toBeNull();
    expect(checkRecordKey('operation.acted', 'paypal:a:p', null)).toBeNull();
    expect(checkRecordKey('webhook.received', 'paypal:a:p', 'random')).toBeNull();
    expect(checkRecordKey('operation.acted', 'paypal:a:p', 'p')).toMatchObject({
      code: 'RECORD_KEY_MISMATCH',
      reason: 'key was "p", should be "paypal:a:p", which the operation.acted record names',
    });
  });
});

describe('topics', () => {
  it('takes the prefix as it is', () => {
    expect(prefixedTopic('staging.', 'verdicts')).toBe('staging.verdicts');
    expect(INPUT_TOPICS.map((topic) => inputTopicOf(prefixedTopic('eu_', topic)))).toEqual([...INPUT_TOPICS]);
    expect(inputTopicOf('staging.verdicts')).toBeNull();
  });

  it('carries each kind on the one topic that may hold it', () => {
    for (const topic of INPUT_TOPICS)
      for (const kind of INPUT_TOPIC_KINDS[topic]) expect(topicOfKind(kind)).toBe(topic);
  });
});
