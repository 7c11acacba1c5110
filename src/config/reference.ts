import { configSchema } from './schema.ts';
import { settingsOf } from './settings.ts';

const HEAD = `# Configuration

One schema over a YAML file (\`--config FILE\`, or \`COUNTERSIGN_CONFIG\`) and the environment; the environment wins. Any value in
the file may be \`{ env: NAME }\` or \`{ file: PATH }\` (relative to the file). A secret's variable may also be given as
\`<NAME>_FILE\`, the path of a file that holds it. Lists in the environment are separated by commas. What is wrong is told at
start, all at once, by key; secrets are never printed.

This page is made from the schema; \`npx vitest run test/unit/config -u\` writes it anew.
`;

function defaultText(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `\`${value.join(',')}\``;
  return value === '' ? 'empty' : `\`${String(value)}\``;
}

/** The text of docs/reference/config.md. */
export function configReference(): string {
  const sections = new Map<string, string[]>();
  for (const { key, env, wants, doc, secret, default: defaultValue } of settingsOf(configSchema)) {
    const section = key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : 'top level';
    const cells = [`\`${key}\``, `\`${env}\``, wants, defaultText(defaultValue), secret ? `${doc} Secret.` : doc];
    const rows = sections.get(section) ?? [];
    rows.push(`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
    sections.set(section, rows);
  }
  const tables = [...sections].map(
    ([name, rows]) =>
      `\n## ${name}\n\n| key | environment | wants | default | what it is for |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`,
  );
  return HEAD + tables.join('');
}
