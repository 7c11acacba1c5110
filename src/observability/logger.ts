import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * Fields that hold credentials whoever logs them: blanked out wherever they stand up to three levels deep. The paths are
 * checked when a logger is made.
 */
const CREDENTIAL_FIELDS = [
  'password',
  'secret',
  'client_secret',
  'clientSecret',
  'authorization',
  'token',
  'access_token',
  'accessToken',
  'cookie',
];

const REDACTED_PATHS = CREDENTIAL_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

const HIDDEN = '(hidden)';

/** A text as it can stand in a line of JSON: as a string, as part of a URL, in a Basic header. */
function spellings(secret: string): string[] {
  return [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
}

function scrubber(secrets: readonly string[]): (line: string) => string {
  const all = [...new Set(secrets.filter((secret) => secret !== '').flatMap(spellings))];
  if (all.length === 0) return (line) => line;
  // Longest first: one secret may begin another.
  all.sort((a, b) => b.length - a.length);
  const pattern = new RegExp(all.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
  return (line) => line.replace(pattern, HIDDEN);
}

export interface LoggerOptions {
  /** one of pino's levels */
  readonly level: string;
  /** the configuration's secrets (`secretsOf`): never in a line, whatever field, message or stack they got into */
  readonly secrets: readonly string[];
  /** the role, on every line */
  readonly role: string;
  /** default: standard output */
  readonly destination?: DestinationStream;
}

/** JSON lines, one an event. Times are ISO, levels are words. */
export function createLogger({ level, secrets, role, destination }: LoggerOptions): Logger {
  const scrub = scrubber(secrets);
  const options = {
    level,
    base: { role },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED_PATHS, censor: HIDDEN },
    hooks: { streamWrite: scrub },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
