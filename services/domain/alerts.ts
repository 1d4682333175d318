/** What a rule tells of an event: a pure function of what it told last and of what the event was and is. */

import type { AlertKind, RevisedBy } from "#contracts/events/alerts.ts";
import { greatCircleKm } from "#contracts/geometry/globe.ts";
import type { EventPredicate, FilteredEvent } from "#contracts/query/predicate.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes, timeToMicros, timeToMilliseconds } from "#contracts/seismic-event/time.ts";
import type { EventStates } from "./following.ts";
import { EXCLUDED_TYPES, WITHDRAWN_AT } from "./imports/run.ts";

/** What is compared with what was told. */
const COMPARED = [
  "time",
  "longitude",
  "latitude",
  "depth",
  "magnitude",
  "magnitude_type",
  "evaluation_status",
  "event_type",
] as const;

/** Of an event: units as in its record. */
export type ToldValues = Pick<SeismicEvent, (typeof COMPARED)[number]>;

/** What a rule looks at. */
export type AlertedEvent = FilteredEvent & Pick<SeismicEvent, "id" | "extra"> & ToldValues;

export type AlertRule = {
  /** Null where every event satisfies it. */
  readonly filter: EventPredicate | null;
  readonly on: readonly AlertKind[];
  /** Null: any change that is told. */
  readonly revisedBy: RevisedBy | null;
  /** Origin times earlier than so long before a version tell nothing new. */
  readonly maxAgeMs: number;
};

export type Telling = {
  /** Null for nothing. */
  readonly kind: AlertKind | null;
  /** What was told before, and what counts as told from then on; null where the event is not in. */
  readonly since: ToldValues | null;
  readonly told: ToldValues | null;
};

/** Whether an event is in: it passes the filter, and nobody has taken it back. */
export function isIn(
  { filter }: Pick<AlertRule, "filter">,
  event: AlertedEvent | null,
): event is AlertedEvent {
  if (event === null || event.evaluation_status === "rejected") return false;
  if (EXCLUDED_TYPES.has(event.event_type ?? "")) return false;
  if (event.extra?.[WITHDRAWN_AT] !== undefined) return false;
  return filter === null || filter(event);
}

/**
 * What a change tells. What was in before it counts as told as it was, unless something else was told last.
 * @param told what was told last, where it is kept; null where that is not known, or that it is no more
 * @param atMs when the version was committed
 */
export function tellChange(
  rule: AlertRule,
  told: ToldValues | null,
  { before, after }: EventStates<AlertedEvent>,
  atMs: number,
): Telling {
  return tellSince(rule, isIn(rule, before) ? (told ?? valuesOf(before)) : null, after, atMs);
}

/** What is to be told of an event as it is now. @param since what was told last; null where the event was not in */
export function tellSince(
  rule: AlertRule,
  since: ToldValues | null,
  now: AlertedEvent | null,
  atMs: number,
): Telling {
  const asked = (kind: AlertKind): AlertKind | null => (rule.on.includes(kind) ? kind : null);
  if (!isIn(rule, now)) return { kind: since && asked("withdrawn"), since, told: null };
  const told = valuesOf(now);
  if (since === null) {
    const isRecent = timeToMilliseconds(now.time) >= atMs - rule.maxAgeMs;
    return { kind: isRecent ? asked("new") : null, since, told };
  }
  if (!isRevised(rule.revisedBy, since, told)) return { kind: null, since, told: since };
  return { kind: asked("revised"), since, told };
}

export function valuesOf(event: ToldValues): ToldValues {
  const { time, longitude, latitude, depth, magnitude, magnitude_type } = event;
  const { evaluation_status, event_type } = event;
  const origin = { time, longitude, latitude, depth };
  return { ...origin, magnitude, magnitude_type, evaluation_status, event_type };
}

export function areSame(one: ToldValues, other: ToldValues): boolean {
  return COMPARED.every((name) =>
    name === "time" ? compareTimes(one.time, other.time) === 0 : one[name] === other[name],
  );
}

/** Each now less then, but the distance; null of a number that appears or goes. Absent where nothing has changed. */
export type AlertChanges = {
  magnitude?: number | null;
  distanceKm?: number;
  depthKm?: number | null;
  seconds?: number;
  /** That of the magnitude, or of the event. */
  type?: true;
  status?: true;
};

export function changesSince(then: ToldValues, now: ToldValues): AlertChanges {
  const changes: AlertChanges = {};
  if (now.magnitude !== then.magnitude) changes.magnitude = less(now.magnitude, then.magnitude);
  if (now.longitude !== then.longitude || now.latitude !== then.latitude) {
    changes.distanceKm = rounded(greatCircleKm(then, now));
  }
  if (now.depth !== then.depth) changes.depthKm = less(now.depth, then.depth);
  if (compareTimes(now.time, then.time) !== 0) {
    changes.seconds = Number(timeToMicros(now.time) - timeToMicros(then.time)) / MICROS;
  }
  if (now.magnitude_type !== then.magnitude_type || now.event_type !== then.event_type) {
    changes.type = true;
  }
  if (now.evaluation_status !== then.evaluation_status) changes.status = true;
  return changes;
}

const MICROS = 1_000_000;

function less(now: number | null, then: number | null): number | null {
  return now === null || then === null ? null : rounded(now - then);
}

/** Without what binary fractions add: 5.1 less 5 is 0.1. */
function rounded(value: number): number {
  return Math.round(value * MICROS) / MICROS;
}

function isRevised(by: RevisedBy | null, then: ToldValues, now: ToldValues): boolean {
  if (areSame(then, now)) return false;
  if (by === null) return true;
  const { magnitude, distanceKm, depthKm, seconds, status } = changesSince(then, now);
  return (
    reaches(by.magnitude, magnitude) ||
    reaches(by.distanceKm, distanceKm) ||
    reaches(by.depthKm, depthKm) ||
    reaches(by.seconds, seconds) ||
    (by.status === true && status === true)
  );
}

/** What appears or goes reaches any bound. */
function reaches(bound: number | undefined, change: number | null | undefined): boolean {
  if (bound === undefined || change === undefined) return false;
  return change === null || Math.abs(change) >= bound;
}
