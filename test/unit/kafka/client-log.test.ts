import kafkajs from 'kafkajs';
import pino from 'pino';
import { expect, test } from 'vitest';
import { clientLog } from '../../../src/drivers/kafka/client-log.ts';

const { logLevel } = kafkajs;

const capture = () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const log = clientLog(logger, () => now);
  const say = (level: number, message: string, fields: object = {}): void =>
    log({ namespace: 'Connection', level, label: '', log: { timestamp: '', message, ...fields } });
  return {
    lines,
    say,
    pass: (ms: number) => {
      now += ms;
    },
  };
};

test('tells what the client repeats once in a while, with how often it was left out', () => {
  const { lines, say, pass } = capture();
  for (let times = 0; times < 50; times += 1) say(logLevel.ERROR, 'connect ECONNREFUSED');
  say(logLevel.ERROR, 'another error');
  pass(30_000);
  say(logLevel.ERROR, 'connect ECONNREFUSED');
  expect(lines.map(({ msg, leftOut }) => [msg, leftOut])).toEqual([
    ['connect ECONNREFUSED', undefined],
    ['another error', undefined],
    ['connect ECONNREFUSED', 49],
  ]);
});

test('tells the client’s errors as warnings, its warnings as information, and the rest to who debugs', () => {
  const { lines, say } = capture();
  say(logLevel.ERROR, 'a');
  say(logLevel.WARN, 'b');
  say(logLevel.INFO, 'c');
  say(logLevel.WARN, 'Limiting retries for the idempotent producer may invalidate EoS guarantees');
  expect(lines.map(({ level }) => level)).toEqual([40, 30, 20, 20]);
});

test('tells the error that the client gives as an object, with its causes', () => {
  const { lines, say } = capture();
  const refused = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });
  const wrapped = Object.assign(new Error('no broker answers', { cause: refused }), { retriable: true });
  say(logLevel.ERROR, 'Error when calling eachBatch', { topic: 'records', error: wrapped });
  say(logLevel.ERROR, 'Crash', { error: Object.assign(new Error(''), { originalError: refused }) });
  say(logLevel.ERROR, 'Connection error', { error: 'as text' });
  const looping = new Error('round');
  say(logLevel.ERROR, 'Loop', { error: Object.assign(looping, { cause: looping }) });
  expect(lines.map(({ topic, error }) => [topic, error])).toEqual([
    ['records', 'no broker answers: connect refused (ECONNREFUSED)'],
    [undefined, 'Error: connect refused (ECONNREFUSED)'],
    [undefined, 'as text'],
    [undefined, 'round'],
  ]);
});
