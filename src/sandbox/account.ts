import type { ProviderName } from '../evaluator/index.ts';
import type { Draw } from './draw.ts';

interface Named {
  /** as Countersign's records have it */
  readonly account: string;
}

/** An account at a provider, with all that proves who calls it and who sends its webhooks. Made from the seed: no secret. */
export type SandboxAccount =
  | (Named & {
      readonly provider: 'paypal';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly webhookId: string;
    })
  | (Named & {
      readonly provider: 'square';
      readonly accessToken: string;
      readonly signatureKey: string;
      readonly merchantId: string;
    })
  | (Named & {
      readonly provider: 'shopify';
      readonly accessToken: string;
      readonly appSecret: string;
      readonly shopDomain: string;
    })
  | (Named & { readonly provider: 'stripe'; readonly secretKey: string; readonly webhookSecret: string });

export type AccountOf<Name extends ProviderName> = Extract<SandboxAccount, { provider: Name }>;

const SHOP_MAX = 40;

export const sandboxAccount = (draw: Draw, provider: ProviderName, account: string): SandboxAccount => {
  const name = `account/${provider}/${account}`;
  switch (provider) {
    case 'paypal':
      return {
        provider,
        account,
        clientId: draw.mixed(`${name}/client`, 40),
        clientSecret: draw.mixed(`${name}/secret`, 40),
        webhookId: draw.upper(`${name}/webhook`, 17),
      };
    case 'square':
      return {
        provider,
        account,
        accessToken: `EAAAl${draw.mixed(`${name}/token`, 40)}`,
        signatureKey: draw.mixed(`${name}/signature`, 22),
        merchantId: `ML${draw.upper(`${name}/merchant`, 11)}`,
      };
    case 'shopify':
      return {
        provider,
        account,
        accessToken: `shpat_${draw.bytes(`${name}/token`, 16).toString('hex')}`,
        appSecret: `shpss_${draw.bytes(`${name}/secret`, 16).toString('hex')}`,
        shopDomain: `${
          account
            .toLowerCase()
            .replace(/[^a-z0-9]+/g, '-')
            .replace(/^-|-$/g, '')
            .slice(0, SHOP_MAX) || 'shop'
        }.myshopify.com`,
      };
    case 'stripe':
      return {
        provider,
        account,
        secretKey: `sk_test_${draw.mixed(`${name}/key`, 24)}`,
        webhookSecret: `whsec_${draw.mixed(`${name}/webhook`, 32)}`,
      };
  }
};
