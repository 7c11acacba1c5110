import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contractFiles, SHIPPED_CONTRACTS } from '../../../src/contracts/load.ts';
import { prepareContracts, readPrepared } from '../../../src/contracts/prepared.ts';
import { readContract } from '../../../src/contracts/read-contract.ts';

const SOURCES = contractFiles(SHIPPED_CONTRACTS).map((file) => readFileSync(file, 'utf8'));
/** As the build writes and a start reads them. */
const PREPARED = JSON.parse(JSON.stringify(prepareContracts(SOURCES)));
const [SOURCE = ''] = SOURCES;

describe('a contract that the build has read', () => {
  it.each(SOURCES)('is the same as its file says', (source) => {
    const [prepared, read] = [readPrepared(source, 'x.yaml', PREPARED), readContract(source, 'x.yaml')];
    if (!prepared.ok || !read.ok) throw new Error('not read');
    expect(prepared.contract).toStrictEqual(read.contract);
  });

  it('knows its lines', () => {
    const [prepared, read] = [readPrepared(SOURCE, 'x.yaml', PREPARED), readContract(SOURCE, 'x.yaml')];
    if (!prepared.ok || !read.ok) throw new Error('not read');
    expect(prepared.yaml.lineOf(['contract', 'version'])).toBe(read.yaml.lineOf(['contract', 'version']));
    expect(prepared.yaml.value).toEqual(read.yaml.value);
  });

  it('is taken for no other text', () => {
    const changed = SOURCE.replace('timeout_ms: ', 'timeout_ms: 1');
    const read = readPrepared(changed, 'x.yaml', PREPARED);
    expect(read).toMatchObject({ ok: true });
    expect(read.ok && read.contract).toEqual((readContract(changed, 'x.yaml') as { contract: unknown }).contract);
    expect(readPrepared('a: 1', 'x.yaml', PREPARED)).toMatchObject({ ok: false });
  });

  it('is refused by the build where it is none', () => {
    expect(() => prepareContracts(['a: 1'])).toThrow(/cannot be read/);
  });
});
