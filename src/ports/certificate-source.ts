/** Fetches the certificate that a PayPal delivery names. */
export interface CertificateSource {
  /**
   * The PEM text that the URL answers. `url` has been held against the allow-list by the caller.
   *
   * @throws OperatingError SIGNATURE_UNVERIFIABLE where it cannot be had now; the provider sends the event again.
   */
  pem(url: string): Promise<string>;
}
