import type { KeyObject } from 'node:crypto';
import { X509Certificate } from 'node:crypto';

/** Longest way from a leaf to an authority. */
const CHAIN_MAX = 6;
const CHAINS_MAX = 8;
/** Certificates that all issue one another would make every order of them a way to try. */
const CLIMBS_MAX = 64;
/** A PEM bundle of {@link CERTIFICATES_MAX} certificates is far shorter. */
const PEM_LENGTH_MAX = 100_000;
const CERTIFICATES_MAX = 12;
const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]{1,20000}?-----END CERTIFICATE-----/g;

/** A parsed certificate with what is asked of it again and again. */
export interface Certificate {
  readonly x509: X509Certificate;
  readonly publicKey: KeyObject;
  readonly fingerprint: string;
  readonly commonName: string | null;
  /** milliseconds since the epoch, both inclusive */
  readonly validFromMs: number;
  readonly validToMs: number;
}

const commonNameOf = (subject: string): string | null => {
  let found: string | null = null;
  for (const line of subject.split('\n')) if (line.startsWith('CN=')) found = line.slice(3);
  return found;
};

const parseOne = (pem: string): Certificate | null => {
  try {
    const x509 = new X509Certificate(pem);
    const validFromMs = Date.parse(x509.validFrom);
    // Printed in whole seconds: the last one is still inside.
    const validToMs = Date.parse(x509.validTo) + 999;
    if (Number.isNaN(validFromMs) || Number.isNaN(validToMs)) return null;
    const { publicKey, fingerprint256: fingerprint } = x509;
    return { x509, publicKey, fingerprint, commonName: commonNameOf(x509.subject), validFromMs, validToMs };
  } catch {
    return null;
  }
};

/** Every certificate in the PEM texts that can be read; a bundle holds several. */
export const parseCertificates = (pems: readonly string[]): readonly Certificate[] => {
  const found: Certificate[] = [];
  for (const pem of pems) {
    if (pem.length > PEM_LENGTH_MAX) continue;
    for (const [block] of pem.matchAll(BLOCK)) {
      if (found.length >= CERTIFICATES_MAX) return found;
      const certificate = parseOne(block);
      if (certificate !== null) found.push(certificate);
    }
  }
  return found;
};

/** A span of time, milliseconds since the epoch, both ends inclusive. */
export interface Validity {
  readonly validFromMs: number;
  readonly validToMs: number;
}

export const isValidAt = (span: Validity, at: number): boolean => span.validFromMs <= at && at <= span.validToMs;

const overlap = (a: Validity, b: Validity): Validity => ({
  validFromMs: Math.max(a.validFromMs, b.validFromMs),
  validToMs: Math.min(a.validToMs, b.validToMs),
});

const isIssuedBy = (certificate: Certificate, issuer: Certificate): boolean => {
  try {
    return issuer.x509.ca && certificate.x509.checkIssued(issuer.x509) && certificate.x509.verify(issuer.publicKey);
  } catch {
    return false;
  }
};

/**
 * The chains from `leaf` to one of the `anchors`, over the given `intermediates`: for each, the span in which every link is
 * valid, the anchor included. The caller judges it at the time the event was received, not today, so that a record is judged
 * the same way a year later.
 */
export const chainsOf = (
  leaf: Certificate,
  intermediates: readonly Certificate[],
  anchors: readonly Certificate[],
): readonly Validity[] => {
  const chains: Validity[] = [];
  let climbs = 0;
  const climb = (link: Certificate, used: readonly Certificate[], span: Validity): void => {
    climbs += 1;
    if (chains.length >= CHAINS_MAX || climbs > CLIMBS_MAX) return;
    if (anchors.some((anchor) => anchor.fingerprint === link.fingerprint)) {
      chains.push(span);
      return;
    }
    for (const anchor of anchors) if (isIssuedBy(link, anchor)) chains.push(overlap(span, anchor));
    if (used.length >= CHAIN_MAX) return;
    for (const issuer of intermediates) {
      if (!used.includes(issuer) && isIssuedBy(link, issuer)) climb(issuer, [...used, issuer], overlap(span, issuer));
    }
  };
  climb(leaf, [leaf], leaf);
  return chains;
};
