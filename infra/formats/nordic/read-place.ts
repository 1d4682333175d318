import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { columnsOf, numberIn, required, type TextLine } from "../fixed-columns.ts";
import { isoTime } from "../lines/calendar-time.ts";

const KM_TO_M = 3;

/**
 * What lines of type 1 and the first of type M begin with: time, place and agency of an origin.
 * @returns null without a place
 * @throws FaultyLine
 */
export function readPlace(line: TextLine, publicID: string): QuakemlObject<"Origin"> | null {
  const [latitude, longitude] = [numberIn(line, 24, 30), numberIn(line, 31, 38)];
  if (latitude === undefined || longitude === undefined) return null;
  const depth = numberIn(line, 39, 43, KM_TO_M);
  const agencyID = columnsOf(line, 46, 48);
  return {
    publicID,
    time: { value: readOriginTime(line) },
    longitude: { value: longitude },
    latitude: { value: latitude },
    ...(depth !== undefined && { depth: { value: depth } }),
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
  };
}

/** @throws FaultyLine */
export function readOriginTime(line: TextLine): string {
  const part = (from: number, to: number) => columnsOf(line, from, to);
  const parts = [part(2, 5), part(7, 8), part(9, 10), part(12, 13) || "0", part(14, 15) || "0"];
  const time = isoTime([...parts, part(17, 20) || "0"]);
  return required(line, time, "time of the calendar in columns 2 to 20");
}
