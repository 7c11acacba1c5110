// Makes examples/day: a day of refunds at four shops, with webhooks that are really signed. The same bytes every time.
// Run it with: npx tsx scripts/day/make-day.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { printDay } from './day.ts';

const folder = fileURLToPath(new URL('../../examples/day/', import.meta.url));
const { records, files } = printDay();
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}records.jsonl.gz`, gzipSync(records, { level: 9 }));
for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}${name}`, text);
process.stdout.write(`${records.split('\n').length - 1} records\n`);
