import { stringify } from 'yaml';
import type { SandboxAccount } from './account.ts';
import type { PayPalSigner } from './paypal/signer.ts';
import type { Sandbox } from './sandbox.ts';

/** The part of a Countersign configuration that the sandbox decides. */
export interface CountersignConfig {
  readonly accounts: readonly Readonly<Record<string, string>>[];
  readonly endpoints: readonly Readonly<Record<string, unknown>>[];
  readonly readback: { readonly allow_private: true; readonly hosts: readonly string[] };
}

const accountEntry = (account: SandboxAccount, address: string): Readonly<Record<string, string>> => {
  const base = { provider: account.provider, account: account.account, api_base: address };
  switch (account.provider) {
    case 'paypal':
      return { ...base, client_id: account.clientId, client_secret: account.clientSecret };
    case 'square':
      return { ...base, access_token: account.accessToken };
    case 'shopify':
      return { ...base, access_token: account.accessToken };
    case 'stripe':
      return { ...base, secret_key: account.secretKey };
  }
};

const endpointEntry = (
  account: SandboxAccount,
  webhooksTo: string,
  signer: () => PayPalSigner,
): Readonly<Record<string, unknown>> => {
  const base = { provider: account.provider, account: account.account };
  switch (account.provider) {
    case 'paypal':
      // Pinned: PayPal's own hosts, which alone certificates are fetched from, know nothing of the sandbox's.
      return { ...base, webhook_id: account.webhookId, certificates: [signer().certificate], ca: [signer().authority] };
    case 'square':
      return {
        ...base,
        signature_keys: [account.signatureKey],
        notification_url: `${webhooksTo}/webhooks/square/default`,
        merchant_id: account.merchantId,
      };
    case 'shopify':
      return { ...base, secrets: [account.appSecret], shop_domain: account.shopDomain };
    case 'stripe':
      return { ...base, secrets: [account.webhookSecret] };
  }
};

/** What Countersign has to be told to work with this sandbox. */
export const countersignConfig = (sandbox: Sandbox): CountersignConfig => {
  const { address, webhooksTo } = sandbox.options;
  const { accounts } = sandbox.world;
  return {
    accounts: accounts.map((account) => accountEntry(account, address())),
    endpoints: accounts.map((account) => endpointEntry(account, webhooksTo(), sandbox.stands.paypal.signer)),
    readback: { allow_private: true, hosts: [new URL(address()).hostname] },
  };
};

/** As YAML, with a word on what it is. */
export const printConfig = (config: CountersignConfig): string =>
  `# For Countersign against its sandbox. Nothing here is a secret: it is made from the scenario's seed.\n${stringify(config)}`;
