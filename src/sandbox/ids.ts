import type { ProviderName } from '../evaluator/index.ts';
import type { Draw } from './draw.ts';

/** An id as the provider prints it, drawn by `name`. */
export const paymentIdOf = (draw: Draw, provider: ProviderName, name: string): string => {
  switch (provider) {
    case 'paypal':
      return draw.upper(name, 17);
    case 'square':
      return draw.mixed(name, 25);
    case 'shopify':
      return `gid://shopify/Order/${draw.digits(name, 13)}`;
    case 'stripe':
      return `ch_3${draw.mixed(name, 23)}`;
  }
};

/** Square's begins with its payment's. */
export const refundIdOf = (draw: Draw, provider: ProviderName, paymentId: string, name: string): string => {
  switch (provider) {
    case 'paypal':
      return draw.upper(name, 17);
    case 'square':
      return `${paymentId}_${draw.mixed(name, 33)}`;
    case 'shopify':
      return `gid://shopify/Refund/${draw.digits(name, 12)}`;
    case 'stripe':
      return `re_3${draw.mixed(name, 23)}`;
  }
};
