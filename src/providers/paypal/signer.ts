import { rootCertificates } from 'node:tls';
import type { EpochMs } from '../../evaluator/index.ts';
import type { Refusal } from '../adapter.ts';
import { refused } from '../adapter.ts';
import type { PayPalEndpoint } from '../endpoint.ts';
import type { Certificate, Validity } from './certificate.ts';
import { chainsOf, isValidAt, parseCertificates } from './certificate.ts';

const COMMON_NAMES: ReadonlySet<string | null> = new Set([
  'messageverificationcerts.paypal.com',
  'messageverificationcerts.sandbox.paypal.com',
]);

/** Parsed once a text: an endpoint sees the same certificate a million times. */
const PARSED_MAX = 64;
const PARSED_LENGTH_MAX = 100_000;
const parsedTexts = new Map<string, readonly Certificate[]>();

const parsed = (pems: readonly string[]): readonly Certificate[] => {
  const key = pems.join('\n');
  const held = parsedTexts.get(key);
  if (held !== undefined) return held;
  const certificates = parseCertificates(pems);
  if (key.length > PARSED_LENGTH_MAX) return certificates;
  if (parsedTexts.size >= PARSED_MAX) parsedTexts.clear();
  parsedTexts.set(key, certificates);
  return certificates;
};

let shippedRoots: readonly Certificate[] | null = null;

const roots = (): readonly Certificate[] => {
  shippedRoots ??= rootCertificates.flatMap((pem) => parseCertificates([pem]));
  return shippedRoots;
};

/** What chains a certificate has does not change: it is found once, and judged at each delivery's own time. */
const chains = new WeakMap<PayPalEndpoint, Map<Certificate, readonly Validity[]>>();

const chainsAt = (leaf: Certificate, bundle: readonly Certificate[], endpoint: PayPalEndpoint): readonly Validity[] => {
  // A pinned certificate without `ca` is its own authority.
  if (endpoint.certificates.length > 0 && endpoint.ca.length === 0) return [leaf];
  let held = chains.get(endpoint);
  if (held === undefined) {
    held = new Map();
    chains.set(endpoint, held);
  }
  let found = held.get(leaf);
  if (found === undefined) {
    found = chainsOf(leaf, bundle, endpoint.ca.length > 0 ? parsed(endpoint.ca) : roots());
    if (held.size >= PARSED_MAX) held.clear();
    held.set(leaf, found);
  }
  return found;
};

const distrust = (leaf: Certificate, found: readonly Validity[], endpoint: PayPalEndpoint): Refusal => {
  if (found.length > 0) {
    return refused('SIGNATURE_INVALID', 'certificate: it or a link of its chain was not valid at received_at');
  }
  if (endpoint.ca.length > 0 || leaf.x509.subject === leaf.x509.issuer) {
    return refused('SIGNATURE_INVALID', 'certificate: does not chain to an authority that the endpoint trusts (ca)');
  }
  return refused(
    'SIGNATURE_UNVERIFIABLE',
    "certificate: its issuer is unknown; give the endpoint the issuer's certificate as ca",
  );
};

/**
 * The certificates whose keys may have signed a delivery at `at`. A pinned one is trusted because the operator named it, and
 * must chain too where a `ca` is given; one that came with the record is trusted only by its chain and its subject.
 */
export const paypalSigners = (
  endpoint: PayPalEndpoint,
  fromRecord: readonly string[],
  at: EpochMs,
): readonly Certificate[] | Refusal => {
  const isPinned = endpoint.certificates.length > 0;
  const bundle = parsed(isPinned ? endpoint.certificates : fromRecord);
  if (bundle.length === 0) {
    const reason = isPinned || fromRecord.length > 0 ? 'holds no certificate in PEM that can be read' : 'missing';
    const where = isPinned ? 'the endpoint' : 'the record';
    return refused('SIGNATURE_UNVERIFIABLE', `certificates of ${where}: ${reason}`);
  }
  const leaves = bundle.filter((certificate) => COMMON_NAMES.has(certificate.commonName));
  if (leaves.length === 0) {
    const name = JSON.stringify(bundle[0]?.commonName?.slice(0, 80) ?? null);
    return refused(
      'SIGNATURE_INVALID',
      `certificate: subject CN was ${name}, should be messageverificationcerts.paypal.com`,
    );
  }
  const signers: Certificate[] = [];
  let refusal: Refusal | null = null;
  for (const leaf of leaves) {
    const found = chainsAt(leaf, bundle, endpoint);
    if (found.some((chain) => isValidAt(chain, at))) signers.push(leaf);
    else refusal ??= distrust(leaf, found, endpoint);
  }
  return signers.length > 0 || refusal === null ? signers : refusal;
};
