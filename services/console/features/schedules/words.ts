import { filterWords } from "../../ui/text/filter-words.ts";
import { counted } from "../../ui/text/format.ts";
import type { Schedule } from "./schedule.ts";

const HOUR = 60;
const DAY = 24 * HOUR;

/** "30 minutes", "hour", "7 days": what stands behind "every" and "the last". */
function span(minutes: number): string {
  const [length, noun] =
    minutes % DAY === 0
      ? [minutes / DAY, "day"]
      : minutes % HOUR === 0
        ? [minutes / HOUR, "hour"]
        : [minutes, "minute"];
  return length === 1 ? noun : counted(length, noun);
}

/** "every hour", "every 30 minutes". */
export function everyText(everyMinutes: number): string {
  return `every ${span(everyMinutes)}`;
}

/** "in an hour", "in 30 minutes": until the first run. */
export function firstText(everyMinutes: number): string {
  const text = span(everyMinutes);
  return `in ${/^\d/.test(text) ? text : text === "hour" ? `an ${text}` : `a ${text}`}`;
}

/** "the last 7 days". */
export function lookbackText(hours: number): string {
  return `the last ${span(hours * HOUR)}`;
}

/** "M ≥ 2, depth ≤ 40 km", or that there are no bounds. */
export function filtersText(schedule: Schedule): string {
  const { minMagnitude, maxMagnitude, minDepth, maxDepth } = schedule;
  const { minLatitude, maxLatitude, minLongitude, maxLongitude, polygon, region } = schedule;
  const words = filterWords({
    ...{ minMagnitude, maxMagnitude, minDepth, maxDepth },
    ...{ minLatitude, maxLatitude, minLongitude, maxLongitude, polygon, region },
  });
  return words.length === 0 ? "all magnitudes, depths and places" : words.join(", ");
}

export const DETAILS: Readonly<Record<Schedule["detail"], string>> = {
  full: "all that the agency knows of an event",
  summary: "time, place and magnitude only",
};

/** What becomes of events that the agency has no more. */
export const WITHDRAWN: Readonly<Record<Schedule["withdrawn"], string>> = {
  keep: "stay as they are",
  mark: "stay, marked with the time of their withdrawal",
  remove: "are removed in a new version",
};

/** Between two runs, minutes. */
const INTERVALS = [5, 15, 30, 60, 180, 360, 720, DAY, 7 * DAY];

/** Usual intervals, and the one that is set. */
export function everyOptions(everyMinutes: string) {
  const set = Number(everyMinutes);
  const all = INTERVALS.includes(set) ? INTERVALS : [...INTERVALS, set].toSorted((a, b) => a - b);
  return all.map((minutes) => ({ value: String(minutes), text: everyText(minutes) }));
}
