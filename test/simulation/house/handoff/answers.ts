import type { HandoffDecided } from '../../../../src/evaluator/index.ts';
import { decodeInput } from '../../../../src/records/codec.ts';
import type { InputRecord } from '../../../../src/records/records.ts';
import { HANDOFFS_TOPIC } from '../../../../src/records/topics.ts';
import type { House } from '../house.ts';

/**
 * When something was applied: in which commit first, and in which last. A store that went back has applied it twice. In which order a
 * commit's topics were taken is not told.
 */
export interface Place {
  readonly first: number;
  readonly last: number;
}

/** A request as it was decided. */
export interface Answer {
  readonly decided: HandoffDecided;
  /** of the bound record that it answers */
  readonly place: Place;
}

const coordinates = ({ topic, partition, offset }: HandoffDecided['request']): string =>
  `${topic}/${partition}@${offset}`;

/** The records of a kind in the log that count, with their places. */
export const appliedRecords = (house: House): { readonly record: InputRecord; readonly place: Place }[] =>
  [...house.records.all()].flatMap(({ name, fate, decoded }) => {
    const place = house.records.commitsOf(name);
    return decoded === null || place === null || fate === 'rekeyed' || fate === 'dead-letter'
      ? []
      : [{ record: decoded.record, place }];
  });

/** Coordinates of a request → where it was decided: a request that was passed on twice was decided the first time. */
const decidedPlaces = (house: House): Map<string, Place> => {
  const places = new Map<string, Place>();
  for (const { record, place } of appliedRecords(house)) {
    if (record.kind !== 'handoff.bound') continue;
    const key = coordinates(record.source);
    const held = places.get(key);
    places.set(
      key,
      held === undefined ? place : { first: Math.min(held.first, place.first), last: Math.max(held.last, place.last) },
    );
  }
  return places;
};

/** Every answer that is published, once each, in the order in which they were decided. */
export const publishedAnswers = (house: House): { readonly answers: Answer[]; readonly repeats: HandoffDecided[] } => {
  const places = decidedPlaces(house);
  const seen = new Map<string, HandoffDecided>();
  const repeats: HandoffDecided[] = [];
  for (const log of house.cluster.logs.get(HANDOFFS_TOPIC) ?? [])
    for (const { value } of log.committed()) {
      const decided = JSON.parse(house.registry.textOf(value)) as HandoffDecided;
      const key = `${decided.handoff_id} ${coordinates(decided.request)}`;
      if (seen.has(key)) repeats.push(decided);
      else seen.set(key, decided);
    }
  const nowhere = { first: -1, last: -1 };
  const answers = [...seen.values()].map((decided) => ({
    decided,
    place: places.get(coordinates(decided.request)) ?? nowhere,
  }));
  return { answers: answers.sort((a, b) => a.place.first - b.place.first), repeats };
};

/** The requests that stand in the log, with their coordinates. */
export const loggedRequests = (house: House) =>
  (house.cluster.logs.get('handoff-requested') ?? []).flatMap((log) =>
    log.entries.flatMap(({ offset, value, control }) => {
      const read = control === null ? decodeInput(value, 'handoff-requested', house.registry.readerOf) : null;
      if (read === null || !read.ok || read.record.kind !== 'handoff.requested') return [];
      return [{ source: { topic: 'handoff-requested', partition: log.partition, offset }, record: read.record }];
    }),
  );
