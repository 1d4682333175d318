import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { type TimePartNames, timeOfParts } from "#contracts/seismic-event/split-time.ts";

const SHOWN_LENGTH = 20;

/** The time of an event given in parts, null when they do not make one; and the warning, if any. */
export function readSplitTime(
  values: JsonObject,
  parts: TimePartNames,
): { readonly time: string | null; readonly warning: string | null } {
  const split = timeOfParts(values, parts);
  if (split === null || parseTime(split.time) === null) {
    return { time: null, warning: `no time can be made of ${listOf(values, parts)}` };
  }
  const { time, carried } = split;
  return { time, warning: carried ? `${listOf(values, parts)} are read as ${time}` : null };
}

function listOf(values: JsonObject, parts: TimePartNames): string {
  return [...parts.values()]
    .map((name) => `${name} ${String(values[name] ?? "").slice(0, SHOWN_LENGTH)}`.trim())
    .join(", ");
}
