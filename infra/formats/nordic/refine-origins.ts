import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { columnsOf, integerIn, numberIn, required, type TextLine } from "../fixed-columns.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { degreesEast, degreesOfKm } from "../lines/degrees.ts";
import { ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { typeOf } from "./line-types.ts";
import type { PlacedOrigin } from "./read-origins.ts";

type Origin = QuakemlObject<"Origin">;

const KM_TO_M = 3;

/**
 * The origins with what lines of type E (errors) and H (more digits) say of the last origin above them of
 * the agency that they name; where there is none, errors are of the first origin, which the program located,
 * and digits of the one above.
 * @throws FaultyLine
 */
export function refineOrigins(
  origins: readonly PlacedOrigin[],
  lines: readonly TextLine[],
): readonly Origin[] {
  const refined = origins.map(({ origin }) => origin);
  /** The last origin above the line of each agency. */
  const last = new Map<string, number>();
  let above = 0;
  for (const line of lines) {
    const type = typeOf(line);
    const agency = type === "H" ? columnsOf(line, 61, 63) : columnsOf(line, 12, 14);
    for (let one = origins[above]; one && one.line < line.number; one = origins[above]) {
      last.set(one.agency, above);
      above += 1;
    }
    const unnamed = type === "H" ? Math.max(0, above - 1) : 0;
    const at = (agency === "" ? undefined : last.get(agency)) ?? unnamed;
    const origin = refined[at];
    if (origin !== undefined) refined[at] = (type === "H" ? withDigits : withErrors)(origin, line);
  }
  return refined;
}

function withDigits(origin: Origin, line: TextLine): Origin {
  const part = (from: number, to: number) => columnsOf(line, from, to);
  const clock = [part(12, 13) || "0", part(14, 15) || "0", part(17, 23) || "0"];
  const time = isoTime([part(2, 5), part(7, 8), part(9, 10), ...clock]);
  const standardError = numberIn(line, 54, 59);
  const value = <T extends object>(given: T | undefined, more: number | undefined) =>
    more === undefined ? given : { ...given, value: more };
  return {
    ...origin,
    time: {
      ...origin.time,
      value: required(line, time, "time of the calendar in columns 2 to 23"),
    },
    latitude: { ...origin.latitude, ...present({ value: numberIn(line, 24, 32) }) },
    longitude: { ...origin.longitude, ...present({ value: numberIn(line, 34, 43) }) },
    ...present({
      depth: value(origin.depth, numberIn(line, 45, 52, KM_TO_M)),
      quality: standardError === undefined ? origin.quality : { ...origin.quality, standardError },
    }),
  };
}

/** Errors of places are kilometres; 999.9 stands for one that is too large for its columns. */
function withErrors(origin: Origin, line: TextLine): Origin {
  const km = (from: number, to: number) => {
    const error = numberIn(line, from, to);
    return error === undefined || error >= 999.9 ? undefined : error;
  };
  const north = degreesOfKm(km(25, 30) ?? 0) || undefined;
  const east = degreesEast(km(33, 38) ?? 0, origin.latitude.value) || undefined;
  const depth = km(39, 43) === undefined ? undefined : numberIn(line, 39, 43, KM_TO_M);
  const azimuthalGap = integerIn(line, 6, 8);
  const kept = ownValues("errors", {
    covarianceXY: columnsOf(line, 44, 55),
    covarianceXZ: columnsOf(line, 56, 67),
    covarianceYZ: columnsOf(line, 68, 79),
  });
  return {
    ...origin,
    time: { ...origin.time, ...present({ uncertainty: numberIn(line, 15, 20) }) },
    latitude: { ...origin.latitude, ...present({ uncertainty: north }) },
    longitude: { ...origin.longitude, ...present({ uncertainty: east }) },
    ...(origin.depth && { depth: { ...origin.depth, ...present({ uncertainty: depth }) } }),
    ...(azimuthalGap !== undefined && { quality: { ...origin.quality, azimuthalGap } }),
    ...present({ foreign: [...(origin.foreign ?? []), ...kept] }),
  };
}
