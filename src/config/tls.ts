import { z } from 'zod';
import { setting } from './setting.ts';
import { pem } from './types.ts';

export interface TlsWords {
  /** what the environment's names begin with, e.g. COUNTERSIGN_KAFKA_TLS */
  readonly env: string;
  readonly doc: string;
  /** whose certificates are checked */
  readonly peers: string;
  /** e.g. "the brokers ask" */
  readonly ask: string;
}

/** TLS towards a server, with our own certificate where it asks for one. */
export const tlsSection = ({ env, doc, peers, ask }: TlsWords) =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(false), { env, wants: 'true or false', doc }),
      ca: setting(pem.optional(), {
        env: `${env}_CA`,
        wants: 'PEM certificates',
        doc: `The certificate authorities that may have signed ${peers}. Default: those that Node ships.`,
      }),
      cert: setting(pem.optional(), {
        env: `${env}_CERT`,
        wants: 'a PEM certificate',
        doc: `Our own certificate, where ${ask} for one.`,
      }),
      key: setting(pem.optional(), {
        env: `${env}_KEY`,
        wants: 'a PEM private key',
        doc: 'The private key of `cert`.',
        secret: true,
      }),
    })
    .prefault({});
