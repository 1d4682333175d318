import type { Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { columnsOf, integerIn, numberIn, type TextLine } from "../fixed-columns.ts";
import { own, ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { magnitudeTypeOf } from "./magnitude-types.ts";
import { readPlace } from "./read-place.ts";

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
      quality: readQuality(line),
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
