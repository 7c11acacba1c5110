import { describe, expect, it } from 'vitest';
import { type InputRecord, MAX_JSON_LENGTH, parseLogLine, recordTime } from '../../../src/records/index.ts';
import { actedExample, inputExamples, reviewExample, startedExample } from './examples.ts';

const line = (over: object) => JSON.stringify({ topic: 'operation-started', value: actedExample(), ...over });
const refusalOf = (text: string): string => {
  const parsed = parseLogLine(text);
  return parsed.ok ? 'ok' : `${parsed.code} ${parsed.reason}`;
};

describe('parseLogLine', () => {
  it('reads a record with where it stood', () => {
    expect(parseLogLine(line({ topic: 'staging.operation-started', key: 'k', timestamp: 1_756_728_000_000 }))).toEqual({
      ok: true,
      topic: 'operation-started',
      key: 'k',
      timestamp: 1_756_728_000_000,
      record: actedExample(),
      at: Date.parse('2026-09-01T12:00:01.550Z'),
    });
  });

  it('reads a bare record: its kind tells the topic', () => {
    for (const example of inputExamples()) {
      const parsed = parseLogLine(JSON.stringify(example));
      expect(parsed).toMatchObject({ ok: true, record: example, key: null, timestamp: null });
    }
    expect(parseLogLine(JSON.stringify(reviewExample()))).toMatchObject({ topic: 'review-decided' });
    expect(refusalOf('{"kind":"nonsense"}')).toMatch(/^RECORD_(KIND_WRONG|MALFORMED) .*kind/);
  });

  it('reads a line without key and timestamp', () => {
    expect(parseLogLine(line({}))).toMatchObject({ key: null, timestamp: null });
    expect(parseLogLine(line({ key: null, timestamp: null }))).toMatchObject({ key: null, timestamp: null });
  });

  it('reads a timestamp that is an instant', () => {
    expect(parseLogLine(line({ timestamp: '2026-09-01T14:00:00.5+02:00' }))).toMatchObject({
      timestamp: Date.parse('2026-09-01T12:00:00.500Z'),
    });
  });

  it('reads a value that is the JSON text of a record', () => {
    expect(parseLogLine(line({ value: JSON.stringify(actedExample()) }))).toMatchObject({ record: actedExample() });
    expect(refusalOf(line({ value: '{"a"' }))).toMatch(/^RECORD_MALFORMED value: not JSON/);
  });

  const wrong: readonly [string, string, RegExp][] = [
    ['no JSON', 'nonsense', /^RECORD_MALFORMED not JSON/],
    ['a line too long', `"${'x'.repeat(MAX_JSON_LENGTH)}"`, /^RECORD_TOO_LARGE the JSON text has/],
    ['a line that is a list', '[1]', /line was a list of 1, should be an object with topic and value/],
    ['no topic', '{"value":{}}', /topic was missing, should be one of operation-started, webhook-received/],
    ['a topic that is no input', line({ topic: 'verdicts' }), /topic was "verdicts", should be one of/],
    ['a key that is no text', line({ key: 7 }), /key was 7, should be a string or left out/],
    [
      'a timestamp that is no time',
      line({ timestamp: 'noon' }),
      /timestamp was "noon", should be milliseconds since 1970/,
    ],
    ['a timestamp that is no whole number', line({ timestamp: 1.5 }), /timestamp was 1.5, should be/],
    ['a timestamp of another type', line({ timestamp: true }), /timestamp was true, should be/],
    ['no value', '{"topic":"operation-started"}', /value was missing, should be the record/],
    ['a value of the wrong kind', line({ value: reviewExample() }), /^RECORD_KIND_WRONG kind was "review.decided"/],
  ];
  it.each(wrong)('refuses %s', (_, text, reason) => {
    expect(refusalOf(text)).toMatch(reason);
  });
});

describe('recordTime', () => {
  it('is the own time of each kind', () => {
    const times = inputExamples().map((example) =>
      new Date(recordTime(example as unknown as InputRecord)).toISOString(),
    );
    expect(times).toEqual([
      '2026-09-01T12:00:00.350Z',
      '2026-09-01T12:00:01.550Z',
      '2026-09-01T12:00:04.350Z',
      '2026-09-01T10:00:05.100Z',
      '2026-09-02T08:00:00.000Z',
      '2026-09-01T09:00:00.000Z',
      '2026-09-01T09:00:00.000Z',
      '2026-09-01T12:00:00.000Z',
      '2026-09-01T12:00:00.000Z',
    ]);
  });

  it('counts the answer that a start already holds', () => {
    const later = { ...startedExample(), action: actedExample().action } as unknown as InputRecord;
    expect(recordTime(later)).toBe(Date.parse('2026-09-01T12:00:01.550Z'));
  });
});
