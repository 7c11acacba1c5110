import type { HouseMix } from './mix.ts';

/** What of a seed's run is played: the house as it was drawn, or with less in it. */
export interface HousePlan {
  readonly mix: HouseMix;
  /** the places of the deliveries that are made; null: all */
  readonly deliveries: readonly number[] | null;
}
