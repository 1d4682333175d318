import { z } from "zod";
import { bounded, type NumberBounds } from "../bounded.ts";
import { MAX_BULLETIN_ELEMENTS } from "../bulletin/limits.ts";
import { COUNTED_OBJECTS } from "../seismic-event/bulletin-counts.ts";
import { ordered, queryInteger, queryList, queryNumber, queryTime } from "./values.ts";

/** The version to read (`contracts/docs/versions.md`). */
export const asOf = z
  .string()
  .optional()
  .describe("a version number or an ISO 8601 time; without it the latest committed version");

/** Whether an event's bulletin itself is answered. */
export const includedBulletin = z
  .enum(["bulletin"])
  .optional()
  .describe("adds the bulletin of each event that has one");

/** The same in a body, where a version number may also be a number. */
export const bodyAsOf = z
  .preprocess((value) => (typeof value === "number" ? String(value) : value), z.string())
  .optional()
  .meta({ type: ["string", "integer"], description: asOf.description });

/** What events may have, of their bulletins but for mechanisms, which rows have too. */
const HELD = ["bulletin", ...COUNTED_OBJECTS, "comments"] as const;
export type Held = (typeof HELD)[number];

export const HALF_CIRCUMFERENCE_KM = 20_020;
const RADIUS = { min: 0, max: HALF_CIRCUMFERENCE_KM };
/** Of one event; no bulletin has more. */
const SOLUTIONS = { min: 0, max: MAX_BULLETIN_ELEMENTS };
const LATITUDE = { min: -90, max: 90 };
const LONGITUDE = { min: -180, max: 180 };

function filters<N extends z.ZodType<number>>(
  number: (bounds: NumberBounds, description: string) => N,
  integer: (bounds: NumberBounds, description: string) => N,
) {
  return {
    minMagnitude: number({}, "inclusive").optional(),
    maxMagnitude: number({}, "inclusive").optional(),
    minDepth: number({}, "km, inclusive").optional(),
    maxDepth: number({}, "km, inclusive").optional(),
    startTime: queryTime("ISO 8601, inclusive").optional(),
    endTime: queryTime("ISO 8601, inclusive").optional(),
    minLatitude: number(LATITUDE, "deg, inclusive").optional(),
    maxLatitude: number(LATITUDE, "deg, inclusive").optional(),
    minLongitude: number(
      LONGITUDE,
      "deg, inclusive; above maxLongitude: a box across the antimeridian",
    ).optional(),
    maxLongitude: number(LONGITUDE, "deg, inclusive").optional(),
    eventType: queryList("QuakeML event type").optional(),
    magnitudeType: queryList("for example ML, Mw").optional(),
    evaluationStatus: queryList("evaluation status").optional(),
    evaluationMode: queryList("evaluation mode").optional(),
    maxAzimuthalGap: number({ min: 0, max: 360 }, "deg").optional(),
    minUsedStationCount: integer({ min: 0 }, "stations").optional(),
    minUsedPhaseCount: integer({ min: 0 }, "phases").optional(),
    maxStandardError: number({ min: 0 }, "s").optional(),
    maxMagnitudeUncertainty: number({ min: 0 }, "magnitude units").optional(),
    latitude: number(LATITUDE, "deg, centre of a circle").optional(),
    longitude: number(LONGITUDE, "deg, centre of a circle").optional(),
    maxRadiusKm: number(RADIUS, "km, inclusive").optional(),
    minRadiusKm: number(RADIUS, "km, inclusive").optional(),
    has: queryList(`what an event has, all of them: ${HELD.join(", ")}`)
      .pipe(z.array(z.enum(HELD)))
      .optional(),
    minOrigins: integer(SOLUTIONS, "origins; an event without a bulletin has one").optional(),
    minMagnitudes: integer(
      SOLUTIONS,
      "magnitudes; an event without a bulletin has one, or none where its magnitude is null",
    ).optional(),
  };
}

export const filterShape = filters(queryNumber, queryInteger);

/** The same in a body, where numbers are numbers. */
export const bodyFilterShape = filters(
  (bounds, description) => bounded(z.number(), bounds).describe(description),
  (bounds, description) => bounded(z.int(), bounds).describe(description),
);

const checkOrder = ordered([
  ["minMagnitude", "maxMagnitude"],
  ["minDepth", "maxDepth"],
  ["startTime", "endTime"],
  ["minLatitude", "maxLatitude"],
  ["minRadiusKm", "maxRadiusKm"],
]);

function checkCircle(values: Record<string, unknown>, context: z.RefinementCtx): void {
  const centre = [values["latitude"], values["longitude"]].filter((v) => v !== undefined);
  const radii = [values["minRadiusKm"], values["maxRadiusKm"]].filter((v) => v !== undefined);
  if (centre.length === 1 || (radii.length > 0 && centre.length === 0)) {
    const path = values["latitude"] === undefined ? "latitude" : "longitude";
    context.addIssue({
      code: "custom",
      path: [path],
      message: "a circle needs latitude and longitude",
    });
  }
  if (centre.length === 2 && radii.length === 0) {
    context.addIssue({
      code: "custom",
      path: ["maxRadiusKm"],
      message: "a circle needs maxRadiusKm or minRadiusKm",
    });
  }
}

/** A query with filters among its parameters, which have to agree with each other. */
export function filteredQuery<Q extends z.ZodRawShape>(shape: Q) {
  return z.strictObject(shape).superRefine(checkOrder).superRefine(checkCircle);
}

/** The same as a member of a body. */
export const BodyFilters = filteredQuery(bodyFilterShape);

/** The filters that `/filtered` and export share. */
export const EventFilters = filteredQuery(filterShape);
export type EventFilters = z.output<typeof EventFilters>;

/** Newest or largest first, except with `-asc`; ties by time, then id, in the same direction. */
export const EventOrder = z.enum(["time", "time-asc", "magnitude", "magnitude-asc"]);
export type EventOrder = z.output<typeof EventOrder>;

export const orderBy = EventOrder.optional().describe("default time, newest first");
