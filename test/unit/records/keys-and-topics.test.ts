import { describe, expect, it } from 'vitest';
import {
  checkRecordKey,
  INPUT_TOPIC_KINDS,
  INPUT_TOPICS,
  inputTopicOf,
  isAuthorityKey,
  keyOfRequest,
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

describe('the key of a request for a plan', () => {
  const jws = (claims: unknown): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

  it('names the authority that it shows', () => {
    expect(keyOfRequest({ authority: jws({ iss: 'risk', id: 'a:1' }) })).toBe('authority:risk:a:1');
    expect(isAuthorityKey('authority:risk:a:1')).toBe(true);
    expect(isAuthorityKey('paypal:authority:1')).toBe(false);
  });

  it('is none where the authority names itself in no way that can be read', () => {
    for (const authority of [
      null,
      undefined,
      {},
      'a-reference',
      'a.b.c',
      jws([]),
      jws({ iss: 'risk' }),
      jws({ iss: 1, id: 'a' }),
    ])
      expect(keyOfRequest({ authority })).toBeNull();
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
