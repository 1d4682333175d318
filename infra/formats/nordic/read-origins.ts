import type { Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { columnsOf, integerIn, numberIn, required, type TextLine } from "../fixed-columns.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { own, ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { magnitudeTypeOf } from "./magnitude-types.ts";

const KM_TO_M = 3;

/** An origin with the line that it stands on. */
export type PlacedOrigin = {
  readonly line: number;
  readonly agency: string;
  readonly origin: QuakemlObject<"Origin">;
};

export type Headers = {
  readonly origins: readonly PlacedOrigin[];
  readonly magnitudes: readonly QuakemlObject<"Magnitude">[];
  /** Lines without a place that are no continuation of another. */
  readonly foreign: readonly Foreign[];
};

/**
 * The lines of type 1: each an origin with up to three magnitudes. One of an agency that has an
 * origin already, without a place or with the same one, has further magnitudes of it.
 * @throws FaultyLine
 */
export function readOrigins(lines: readonly TextLine[], eventID: string): Headers {
  const origins: PlacedOrigin[] = [];
  const magnitudes: QuakemlObject<"Magnitude">[] = [];
  const foreign: Foreign[] = [];
  for (const line of lines) {
    const agency = columnsOf(line, 46, 48);
    const origin = readOrigin(line, serviceId(eventID, "origin", origins.length));
    const known = origins.find((one) => one.agency === agency && isSamePlace(one, origin));
    if (known === undefined && origin !== null) origins.push({ line: line.number, agency, origin });
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
function isSamePlace({ origin }: PlacedOrigin, other: QuakemlObject<"Origin"> | null): boolean {
  return (
    other === null ||
    (origin.latitude.value === other.latitude.value &&
      origin.longitude.value === other.longitude.value &&
      origin.time.value === other.time.value)
  );
}

/** @returns null without a place */
function readOrigin(line: TextLine, publicID: string): QuakemlObject<"Origin"> | null {
  const latitude = numberIn(line, 24, 30);
  const longitude = numberIn(line, 31, 38);
  if (latitude === undefined || longitude === undefined) return null;
  const depth = numberIn(line, 39, 43, KM_TO_M);
  const agencyID = columnsOf(line, 46, 48);
  const depthFlag = columnsOf(line, 44);
  const placeFlag = columnsOf(line, 45);
  return {
    publicID,
    time: { value: readOriginTime(line) },
    longitude: { value: longitude },
    latitude: { value: latitude },
    ...(depth !== undefined && { depth: { value: depth } }),
    ...(depthFlag === "F" && { depthType: "operator assigned" }),
    ...(columnsOf(line, 11) === "F" && { timeFixed: true }),
    ...(placeFlag === "F" && { epicenterFixed: true }),
    ...present({ quality: readQuality(line) }),
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
    ...present({
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

/** @throws FaultyLine */
export function readOriginTime(line: TextLine): string {
  const part = (from: number, to: number) => columnsOf(line, from, to);
  const parts = [part(2, 5), part(7, 8), part(9, 10), part(12, 13) || "0", part(14, 15) || "0"];
  const time = isoTime([...parts, part(17, 20) || "0"]);
  return required(line, time, "time of the calendar in columns 2 to 20");
}

function readQuality(line: TextLine): QuakemlObject<"OriginQuality"> | undefined {
  const quality = present({
    usedStationCount: integerIn(line, 49, 51),
    standardError: numberIn(line, 52, 55),
  });
  return Object.keys(quality).length === 0 ? undefined : quality;
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
