import type { ProviderName } from '../evaluator/index.ts';

/** The paths that money takes back. `mock` moves none; `mpp` is settled by the provider that took the charge. */
export const RAILS = ['mock', 'mpp', 'stripe', 'paypal', 'square', 'shopify'] as const;

export type Rail = (typeof RAILS)[number];

export const isRail = (rail: string): rail is Rail => RAILS.some((one) => one === rail);

/** Whether a charge of this provider can have come by the rail. */
export const isRailOf = (rail: string, provider: ProviderName): boolean =>
  rail === 'mock' || rail === 'mpp' || rail === provider;
