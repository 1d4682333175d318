import type { Foreign, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { filled, own, ownValues, present, serviceId } from "../bulletin/members.ts";
import { columnsOf, integerIn, numberIn, required, type TextLine } from "../lines/fixed-columns.ts";
import { isoTime, KM_TO_M } from "../lines/values.ts";

/** An origin with the line that it stands on. */
export type PlacedOrigin = {
  readonly line: number;
  readonly agency: string;
  readonly origin: QuakemlObject<"Origin">;
};

/**
 * The lines of type 1: each an origin with up to three magnitudes. One of an agency that has an
 * origin already, without a place or with the same one, has further magnitudes of it.
 * @throws FaultyLine
 */
export function readOrigins(lines: readonly TextLine[], eventID: string) {
  const origins: PlacedOrigin[] = [];
  const magnitudes: QuakemlObject<"Magnitude">[] = [];
  /** Lines without a place that are no continuation of another. */
  const foreign: Foreign[] = [];
  /** The first origins of each agency, and of each of its places: an event may have 100,000 of them. */
  const first = new Map<string, PlacedOrigin>();
  for (const line of lines) {
    const agency = columnsOf(line, 46, 48);
    const origin = readOrigin(line, serviceId(eventID, "origin", origins.length));
    const known = first.get(placeName(agency, origin));
    if (known === undefined && origin !== null) {
      const placed = { line: line.number, agency, origin };
      origins.push(placed);
      for (const name of [placeName(agency, null), placeName(agency, origin)]) {
        if (!first.has(name)) first.set(name, placed);
      }
    }
    if (known === undefined && origin === null) foreign.push(own("hypocentre", line.text.trim()));
    const originID = (known?.origin ?? origin)?.publicID;
    for (const magnitude of readMagnitudes(line)) {
      const publicID = serviceId(eventID, "magnitude", magnitudes.length);
      magnitudes.push({ publicID, ...magnitude, ...present({ originID }) });
    }
  }
  return { origins, magnitudes, foreign };
}

/** Of a line without a place the origin is null. */
function placeName(agency: string, origin: QuakemlObject<"Origin"> | null): string {
  if (origin === null) return agency;
  const { latitude, longitude, time } = origin;
  return `${agency} ${latitude.value} ${longitude.value} ${time.value}`;
}

/** @returns null without a place */
function readOrigin(line: TextLine, publicID: string): QuakemlObject<"Origin"> | null {
  const placed = readPlace(line, publicID);
  if (placed === null) return null;
  const depthFlag = columnsOf(line, 44);
  const placeFlag = columnsOf(line, 45);
  return {
    ...placed,
    ...(depthFlag === "F" && { depthType: "operator assigned" }),
    ...(columnsOf(line, 11) === "F" && { timeFixed: true }),
    ...(placeFlag === "F" && { epicenterFixed: true }),
    ...present({
      quality: filled({
        usedStationCount: integerIn(line, 49, 51),
        standardError: numberIn(line, 52, 55),
      }),
      foreign: ownValues("hypocentre", {
        model: columnsOf(line, 21),
        distance: columnsOf(line, 22),
        event: columnsOf(line, 23),
        depth: depthFlag === "F" ? "" : depthFlag,
        place: placeFlag === "F" ? "" : placeFlag,
      }),
    }),
  };
}

function readMagnitudes(line: TextLine): Omit<QuakemlObject<"Magnitude">, "publicID">[] {
  return [56, 64, 72].flatMap((at) => {
    const value = numberIn(line, at, at + 3);
    if (value === undefined) return [];
    const agencyID = columnsOf(line, at + 5, at + 7);
    return [
      {
        mag: { value },
        ...present({ type: magnitudeTypeOf(columnsOf(line, at + 4)) }),
        ...(agencyID !== "" && { creationInfo: { agencyID } }),
      },
    ];
  });
}

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

/** SEISAN's letters of magnitudes, in which upper and lower case differ. */
const TYPES = new Map([
  ["L", "ML"],
  ["l", "Ml"],
  ["b", "mb"],
  ["B", "mB"],
  ["s", "Ms"],
  ["S", "MS"],
  ["W", "Mw"],
  ["w", "Mw"],
  ["C", "Mc"],
  ["G", "mbLg"],
  ["N", "MN"],
  ["n", "Mn"],
]);

/** The type that a letter stands for, the letter itself where it is not known; undefined for a blank. */
export function magnitudeTypeOf(letter: string): string | undefined {
  return letter === "" ? undefined : (TYPES.get(letter) ?? letter);
}
