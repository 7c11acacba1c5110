import { OperatingError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../evaluator/index.ts';
import { readJsonText } from '../../records/index.ts';
import type { RegistrySettings } from './registry-settings.ts';

/** The registry's answer. `errorCode` is its own (40401 no subject, 40403 no schema, 409 incompatible); null where it gave none. */
export interface RegistryAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly errorCode: number | null;
}

const REFUSED = [401, 403, 407];

/**
 * Asks what the client library has no call for: compatibility, and which error a 404 is.
 *
 * @throws OperatingError REGISTRY_UNAVAILABLE where there is no answer in time, or one that no registry gives.
 */
export const askRegistry = async (
  settings: RegistrySettings,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: JsonObject,
): Promise<RegistryAnswer> => {
  const { status, text } = await exchange(settings, method, path, body);
  if (REFUSED.includes(status)) throw unavailable(settings, `it refused the credentials (HTTP ${status})`);
  if (status >= 500 || status === 429) throw unavailable(settings, `it answered HTTP ${status}`);
  const read = readJsonText(text);
  if (!read.ok || !isJsonObject(read.value)) {
    throw unavailable(settings, `it answered HTTP ${status} without a JSON object: is the URL's path right?`);
  }
  const { error_code: code } = read.value;
  return { status, body: read.value, errorCode: typeof code === 'number' ? code : null };
};

const exchange = async (
  settings: RegistrySettings,
  method: string,
  path: string,
  body: JsonObject | undefined,
): Promise<{ readonly status: number; readonly text: string }> => {
  try {
    const response = await fetch(`${settings.url.replace(/\/+$/, '')}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.schemaregistry.v1+json, application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/vnd.schemaregistry.v1+json' }),
        ...credentials(settings),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(settings.timeout_ms),
    });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    const why =
      cause instanceof Error && cause.name === 'TimeoutError'
        ? `no answer in ${settings.timeout_ms} ms`
        : 'no connection';
    throw unavailable(settings, why, cause);
  }
};

const credentials = ({ username, password }: RegistrySettings): Record<string, string> => {
  if (username === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`, 'utf8').toString('base64')}` };
};

/** A registry that cannot be asked now. The URL is told without what could be a credential in it. */
export const unavailable = (settings: RegistrySettings, why: string, cause?: unknown): OperatingError => {
  const { origin, pathname } = new URL(settings.url);
  return new OperatingError('REGISTRY_UNAVAILABLE', `schema registry ${origin}${pathname}: ${why}`, {
    cause,
    context: { registry: `${origin}${pathname}` },
  });
};
