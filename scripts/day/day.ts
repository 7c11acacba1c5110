import { demoCertificate } from './demo-certificate.ts';
import type { Kit } from './kit.ts';
import { Log } from './log.ts';
import { PAYPAL_WEBHOOK_ID, paypalKit } from './paypal.ts';
import { seededNumber } from './seeded.ts';
import { SHOPIFY_SECRET, SHOPIFY_SHOP, shopifyKit } from './shopify.ts';
import { SQUARE_NOTIFICATION_URL, SQUARE_SIGNATURE_KEY, squareKit } from './square.ts';
import * as stories from './stories.ts';
import { STRIPE_SECRET, stripeKit } from './stripe.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MORNING = Date.parse('2026-11-16T08:00:00Z');

/** What happens at each shop; a story stands as often as it happens. */
const PROGRAMME: readonly (readonly [string, stories.Story, number])[] = [
  ['settled', stories.settled, 7],
  ['redelivered', stories.redelivered, 1],
  ['pending', stories.pending, 1],
  ['partial', stories.partial, 1],
  ['doubled', stories.doubled, 1],
  ['wrong-amount', stories.wrongAmount, 1],
  ['late-webhook', stories.lateWebhook, 1],
  ['forged', stories.forged, 1],
  ['outage', stories.outage, 1],
  ['failed', stories.failed, 1],
];

const CURRENCY: Readonly<Record<Kit['provider'], string>> = {
  paypal: 'EUR',
  square: 'EUR',
  shopify: 'USD',
  stripe: 'USD',
};

/** The bundled day: its record log, and the files that say how its signatures are checked, by name. */
export const printDay = (): { readonly records: string; readonly files: Readonly<Record<string, string>> } => {
  const { key, pem } = demoCertificate();
  const kits = [paypalKit(key), squareKit, shopifyKit, stripeKit];
  const log = new Log();

  for (const kit of kits) {
    const currency = CURRENCY[kit.provider];
    const tell = (name: string, story: stories.Story, start: number): void => {
      const operation = `${kit.provider}-${name}`;
      story(
        log,
        kit,
        operation,
        500 + seededNumber(`${operation} amount`, 9000),
        currency,
        start + seededNumber(operation, 1000),
      );
    };
    for (const [name, story, times] of PROGRAMME) {
      for (let time = 1; time <= times; time += 1) {
        const one = times === 1 ? name : `${name}-${time}`;
        tell(one, story, MORNING + seededNumber(`${kit.provider} ${one} start`, 10 * HOUR));
      }
    }
    // Begun last week: today its deadline passes.
    tell('lost-response', stories.lostResponse, MORNING + 6 * HOUR - (kit.provider === 'paypal' ? 3 : 7) * DAY);
  }
  const secrets = `# The secrets of the demo day, known to everyone. A real file names its secrets as { env: NAME } or { file: PATH }.
endpoints:
  - { provider: paypal, account: books-eu, webhook_id: ${PAYPAL_WEBHOOK_ID}, certificates: [paypal-certificate.pem] }
  - { provider: square, account: cafe-berlin, signature_keys: [${SQUARE_SIGNATURE_KEY}], notification_url: "${SQUARE_NOTIFICATION_URL}" }
  - { provider: shopify, account: garden-store, secrets: [${SHOPIFY_SECRET}], shop_domain: ${SHOPIFY_SHOP} }
  - { provider: stripe, account: travel-us, secrets: [${STRIPE_SECRET}] }
`;
  return { records: log.print(), files: { 'paypal-certificate.pem': pem, 'secrets.yaml': secrets } };
};
