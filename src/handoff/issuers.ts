import { isJsonObject, type Json, type JsonObject, own } from '../evaluator/index.ts';
import { type VerifyingKeys, verifyCompactJws } from '../receipts/jws-verify.ts';
import { readJsonText } from '../records/json-text.ts';

/** What an issuer may be believed about. */
export type Signable = 'charges' | 'refunds' | 'authorities';

/** Somebody whose signature counts, for what is listed, in one realm (live or test money). */
export interface Issuer {
  readonly id: string;
  readonly realm: string;
  readonly maySign: readonly Signable[];
  readonly keys: VerifyingKeys;
}

/** A payload whose issuer is who it says, or why it is not. */
export type Signed =
  | { readonly ok: true; readonly issuer: Issuer; readonly claims: JsonObject }
  | { readonly ok: false; readonly why: string };

const refuse = (why: string): Signed => ({ ok: false, why });

const payloadOf = (jws: string): Json => {
  const read = readJsonText(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return read.ok ? read.value : null;
};

/** The issuers that are configured. */
export class Issuers {
  readonly #byId: ReadonlyMap<string, Issuer>;

  constructor(issuers: readonly Issuer[]) {
    this.#byId = new Map(issuers.map((issuer) => [issuer.id, issuer]));
  }

  /**
   * Checks a signed text. Its own `iss` says whose keys to check it by; only then is it believed that it is of him. A claim that
   * is signed by one issuer in another's name is signed by neither.
   */
  open(jws: string, what: Signable): Signed {
    const unverified = payloadOf(jws);
    const id = isJsonObject(unverified) ? own(unverified, 'iss') : undefined;
    if (typeof id !== 'string') return refuse('its payload names no issuer (iss)');
    const issuer = this.#byId.get(id);
    if (issuer === undefined)
      return refuse(`its issuer ${JSON.stringify(id.slice(0, 80))} is not one of handoff.issuers`);
    if (!issuer.maySign.includes(what)) return refuse(`its issuer ${issuer.id} may not sign ${what}`);
    const checked = verifyCompactJws(jws, issuer.keys);
    if (!checked.ok) return refuse(checked.why);
    const read = readJsonText(checked.payload);
    if (!read.ok || !isJsonObject(read.value)) return refuse('its payload is no JSON object');
    const realm = own(read.value, 'realm');
    if (typeof realm === 'string' && realm !== issuer.realm)
      return refuse(`its realm is ${JSON.stringify(realm.slice(0, 80))}, its issuer's is ${issuer.realm}`);
    return { ok: true, issuer, claims: read.value };
  }
}
