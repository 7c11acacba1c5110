import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';

function capture(secrets: readonly string[]) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLogger({ level: 'trace', secrets, role: 'test', destination }) };
}

test('a secret never reaches the output, whatever field, message, key or stack it is put in', () => {
  const field = fc.stringMatching(/^[a-z]{1,8}$/);
  const secret = fc
    .string({ minLength: 6, maxLength: 40, unit: 'grapheme' })
    .filter((text) => !'(hidden)'.includes(text));
  fc.assert(
    fc.property(secret, fc.array(field, { minLength: 1, maxLength: 5 }), (text, path) => {
      const { lines, log } = capture([text]);
      const nested = path.reduceRight<unknown>((value, name) => ({ [name]: value }), text);
      log.info({ nested, list: [text, `before ${text} after`], [text]: 1 }, `a message with ${text}`);
      log.child({ bound: text }).error(new Error(`failed with ${text}`));
      log.warn({ url: `https://user:${encodeURIComponent(text)}@host/` });
      log.warn({ header: `Basic ${Buffer.from(text).toString('base64')}` });
      expect(lines).toHaveLength(4);
      const escaped = JSON.stringify(text).slice(1, -1);
      for (const line of lines) {
        // The fixed parts of a line may hold a short text by chance; what matters is that no value does.
        expect(line.replaceAll('(hidden)', '')).not.toContain(escaped);
      }
    }),
    { numRuns: 200 },
  );
});

test('credential fields are blanked out even when nobody registered the secret', () => {
  const { lines, log } = capture([]);
  log.info({
    password: 'hunter2',
    headers: { authorization: 'Bearer hunter2' },
    request: { headers: { cookie: 'hunter2' } },
  });
  expect(lines.join('')).not.toContain('hunter2');
});

test('a line is JSON with an ISO time, a level in words and the role', () => {
  const { lines, log } = capture(['s3cret']);
  log.warn({ shard: 3 }, 'paused');
  const line = JSON.parse(lines[0] ?? '');
  expect(line).toMatchObject({ level: 'warn', role: 'test', shard: 3, msg: 'paused' });
  expect(new Date(line.time).toISOString()).toBe(line.time);
});
