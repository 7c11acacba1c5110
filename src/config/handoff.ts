import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { OperatingError } from '../errors.ts';
import type { Environment } from './environment.ts';
import { describeIssues } from './problems.ts';
import { resolveReferences } from './references.ts';
import { setting } from './setting.ts';
import { settingsOf } from './settings.ts';
import { milliseconds, plainName } from './types.ts';
import { readYamlDocument } from './yaml-document.ts';

const A_JWKS = 'a JWKS of public keys, each with a kid: { keys: [...] }, or its JSON text';

const jwk = z.looseObject({ kty: z.string(), kid: z.string().min(1) });

const jwks = z.union([z.strictObject({ keys: z.array(jwk).min(1) }), z.string().min(2)], A_JWKS);

const issuer = z.strictObject({
  /** the `iss` of what it signs */
  id: z.string().min(1).max(255),
  /** what its money is: what one realm proves counts for nothing in another */
  realm: plainName,
  may_sign: z.array(z.enum(['charges', 'refunds', 'authorities'])).min(1),
  jwks,
});

export type IssuerConfig = z.output<typeof issuer>;

/** Who is believed about charges, reversals and permissions, and how long a plan holds its sum. */
export const handoffSection = z
  .strictObject({
    issuers: setting(z.array(issuer).default([]), {
      env: 'COUNTERSIGN_HANDOFF_ISSUERS',
      wants: 'a list of { id, realm, may_sign, jwks } (in the environment: as JSON)',
      doc: 'Who may sign charge receipts, refund receipts and refund authorities; see [the handoff](handoff.md). Without one every plan is refused.',
    }),
    hold_ms: setting(milliseconds(1_000).max(86_400_000).default(900_000), {
      env: 'COUNTERSIGN_HANDOFF_HOLD_MS',
      wants: 'milliseconds, from 1000 to 86400000',
      doc: 'How long a plan holds its sum, and within which its operation must begin.',
    }),
    wait_ms: setting(milliseconds(0).max(60_000).default(5_000), {
      env: 'COUNTERSIGN_HANDOFF_WAIT_MS',
      wants: 'milliseconds, at most 60000',
      doc: 'How long `POST /v1/handoffs` waits for the decision before it answers 202.',
    }),
  })
  .prefault({});

export type HandoffConfig = z.output<typeof handoffSection>;

const documentSchema = z.object({ handoff: handoffSection });

const refuse = (file: string, problems: readonly string[]): never => {
  throw new OperatingError(
    'CONFIG_INVALID',
    `The configuration ${file} is not right:\n${problems.map((line) => `  ${line}`).join('\n')}`,
  );
};

/**
 * The `handoff` part of a configuration file, for commands that read logs and no servers. Without a file: its defaults.
 *
 * @throws OperatingError CONFIG_INVALID; names each key, what it got and what it wants
 */
export const loadHandoff = (file: string | undefined, env: Environment = process.env): HandoffConfig => {
  if (file === undefined) return documentSchema.parse({}).handoff;
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    refuse(file, [`cannot read it (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`]);
  }
  const document = readYamlDocument(text);
  if (!document.ok) return refuse(file, document.problems);
  const value: unknown = document.value ?? {};
  const handoff = typeof value === 'object' && value !== null && 'handoff' in value ? { handoff: value.handoff } : {};
  const problems: string[] = [];
  const input = resolveReferences(handoff, { env, folder: dirname(file) }, problems);
  const parsed = documentSchema.safeParse(input, { reportInput: false });
  if (!parsed.success)
    return refuse(file, [...problems, ...describeIssues(parsed.error.issues, input, settingsOf(documentSchema))]);
  return problems.length > 0 ? refuse(file, problems) : parsed.data.handoff;
};
