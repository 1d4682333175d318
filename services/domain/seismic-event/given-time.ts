import {
  dateOfParts,
  type TimePartNames,
  timeOfParts,
} from "#contracts/seismic-event/split-time.ts";
import { isTimeOfDay } from "./event-time.ts";
import { choose, type GivenEvent, keep } from "./given-event.ts";

/** The names that may have a time or a part of it. */
export type TimeKeys = {
  readonly time: readonly string[];
  readonly date: readonly string[];
  readonly timeParts: TimePartNames | null;
};

/**
 * The time as given. A time of day alone is joined with the date from another column or from parts;
 * a date alone is a time; without either, the time comes from its parts. Unused values are kept.
 */
export function givenTime(event: GivenEvent, keys: TimeKeys): unknown {
  const { given } = event;
  const timeKey = choose(event, keys.time);
  const dateKey = choose(event, keys.date);
  const time = timeKey === undefined ? null : given[timeKey];
  const date = dateKey === undefined ? null : given[dateKey];
  if (time === null && date !== null) return unsplit(event, keys, date);
  if (dateKey === undefined) return splitTime(event, keys, time);
  if (typeof date === "string" && isTimeOfDay(time)) {
    return unsplit(event, keys, `${date.trim()} ${String(time).trim()}`);
  }
  keep(event, dateKey);
  return unsplit(event, keys, time);
}

function splitTime(event: GivenEvent, { timeParts: parts }: TimeKeys, time: unknown): unknown {
  if (parts === null) return time;
  const split = time === null ? timeOfParts(event.given, parts) : null;
  if (split !== null) return split.time;
  for (const key of parts.values()) keep(event, key);
  const date = isTimeOfDay(time) ? dateOfParts(event.given, parts) : null;
  return date === null ? time : `${date} ${String(time).trim()}`;
}

/** A time that needs no parts, which are then kept. */
function unsplit(event: GivenEvent, { timeParts }: TimeKeys, time: unknown): unknown {
  for (const key of timeParts?.values() ?? []) keep(event, key);
  return time;
}
