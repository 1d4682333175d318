import type { EventOrder } from "#contracts/query/parameters.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";
import { distanceKm, inOrder } from "../../../support/event-oracle.ts";
import { committedAt, type ModelCatalogue } from "../model-catalogue.ts";

/** What a query wants, in numbers; longitudes and latitudes in tenths of degrees, times in microseconds. */
export type Wanted = {
  readonly start?: bigint;
  readonly end?: bigint;
  readonly south?: number;
  readonly north?: number;
  readonly west?: number;
  readonly east?: number;
  readonly circle?: Circle;
  readonly minDepth?: number;
  readonly maxDepth?: number;
  readonly minMagnitude?: number;
  readonly maxMagnitude?: number;
  readonly magnitudeTypes?: readonly string[];
  readonly eventTypes?: readonly string[];
  readonly contributor?: string;
  /** Half a second after a version, or before the first. */
  readonly updatedAfter?: bigint;
  readonly sourceIds?: readonly string[];
  /** Whether events are wanted that an earlier version had: also, or they alone. */
  readonly deleted?: "true" | "only";
  readonly version?: number;
  readonly order?: EventOrder;
  readonly offset?: number;
  readonly limit?: number;
};

export type Circle = {
  readonly latitude: number;
  readonly longitude: number;
  readonly minKm?: number;
  readonly maxKm?: number;
};

const TURN = 3600;

/** All events that fulfil a query, in its order (`contracts/docs/event-service.md`, FDSN event service). */
export function fulfilling(catalogue: ModelCatalogue, wanted: Wanted): SeismicEvent[] {
  const { version = catalogue.latest(), order = "time" } = wanted;
  const { since, removed } = changes(catalogue, version);
  const there = wanted.deleted === "only" ? [] : catalogue.events(version);
  const gone = wanted.deleted === undefined ? [] : removed.values();
  const events = [...there, ...gone].filter((event) => {
    const changed = timeToMicros(committedAt(since.get(event.id) ?? 0));
    return fulfils(event, wanted) && (wanted.updatedAfter ?? -1n) < changed;
  });
  return inOrder(events, order);
}

/** Whether a query's ids are those of removed events alone, which it does not want. */
export function meansRemoved(
  catalogue: ModelCatalogue,
  { sourceIds, deleted, version = catalogue.latest() }: Wanted,
): boolean {
  if (sourceIds === undefined || deleted !== undefined) return false;
  const isMeant = ({ source_id }: SeismicEvent) => sourceIds.includes(source_id ?? "");
  const { removed } = changes(catalogue, version);
  return !catalogue.events(version).some(isMeant) && [...removed.values()].some(isMeant);
}

/** The part of them that offset and limit leave. */
export function paged<T>(events: readonly T[], { offset = 1, limit }: Wanted): readonly T[] {
  return events.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
}

type Changes = {
  /** The version that last changed or removed each event. */
  readonly since: ReadonlyMap<string, number>;
  /** Events that the version has no more, as they were last. */
  readonly removed: ReadonlyMap<string, SeismicEvent>;
};

/** An unchanged event is the same object in all versions. */
function changes({ versions }: ModelCatalogue, version: number): Changes {
  const since = new Map<string, number>();
  const removed = new Map<string, SeismicEvent>();
  let before: ReadonlyMap<string, SeismicEvent> = new Map();
  for (const [number, events] of versions) {
    if (number > version) break;
    for (const [id, event] of events) if (before.get(id) !== event) since.set(id, number);
    for (const [id, event] of before) {
      if (events.has(id)) continue;
      since.set(id, number);
      removed.set(id, event);
    }
    before = events;
  }
  return { since, removed };
}

function fulfils(event: SeismicEvent, wanted: Wanted): boolean {
  const time = timeToMicros(event.time);
  return (
    (wanted.start === undefined || time >= wanted.start) &&
    (wanted.end === undefined || time <= wanted.end) &&
    isWithin(tenths(event.latitude), wanted.south, wanted.north) &&
    (Math.abs(event.latitude) === 90 || isOnTheWay(tenths(event.longitude), wanted)) &&
    isWithinCircle(event, wanted.circle) &&
    isBounded(event.depth, [wanted.minDepth, wanted.maxDepth], [-10, 1000]) &&
    isBounded(event.magnitude, [wanted.minMagnitude, wanted.maxMagnitude], [-3, 10]) &&
    (wanted.magnitudeTypes?.some((type) => isMagnitudeType(event.magnitude_type, type)) ?? true) &&
    (wanted.eventTypes?.some((type) => isEventType(event.event_type, type)) ?? true) &&
    (wanted.contributor === undefined ||
      event.agency_id?.toLowerCase() === wanted.contributor.toLowerCase()) &&
    (wanted.sourceIds?.includes(event.source_id ?? "") ?? true)
  );
}

const tenths = (degrees: number) => Math.round(degrees * 10);

function isWithin(value: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY) {
  return min <= value && value <= max;
}

/** A bound at the end of an attribute's range, or beyond, is none; else null is within no bound. */
function isBounded(
  value: number | null,
  [min, max]: readonly [number | undefined, number | undefined],
  [least, most]: readonly [number, number],
): boolean {
  const low = min !== undefined && min > least ? min : undefined;
  const high = max !== undefined && max < most ? max : undefined;
  if (low === undefined && high === undefined) return true;
  return value !== null && isWithin(value, low, high);
}

/** Whether a meridian is met on the way eastwards from one bound to the other. */
function isOnTheWay(longitude: number, { west = -1800, east = 1800 }: Wanted): boolean {
  if (east - west >= TURN) return true;
  return eastwards(west, longitude) <= eastwards(west, east);
}

function eastwards(from: number, to: number): number {
  return (((to - from) % TURN) + TURN) % TURN;
}

function isWithinCircle(event: SeismicEvent, circle: Circle | undefined): boolean {
  return circle === undefined || isWithin(distanceKm(event, circle), circle.minKm, circle.maxKm);
}

/** mb and mB are two types; in all others case does not matter. */
function isMagnitudeType(type: string | null, wanted: string): boolean {
  if (type?.toLowerCase() !== wanted.toLowerCase()) return false;
  return !(wanted === "mb" && type === "mB") && !(wanted === "mB" && type === "mb");
}

function isEventType(type: string | null, wanted: string): boolean {
  const name = wanted.toLowerCase();
  if (name === "*") return true;
  return type === null ? name === "unknown" || name === "earthquake" : type === name;
}
