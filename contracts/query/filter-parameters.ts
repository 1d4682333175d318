import { z } from "zod";
import { ordered, queryInteger, queryList, queryNumber, queryTime } from "./values.ts";

/** The version to read (`contracts/docs/versions.md`). */
export const asOf = z
  .string()
  .optional()
  .describe("a version number or an ISO 8601 time; without it the latest committed version");

const latitude = (description: string) => queryNumber({ min: -90, max: 90 }, description);
const longitude = (description: string) => queryNumber({ min: -180, max: 180 }, description);
export const HALF_CIRCUMFERENCE_KM = 20_020;

export const filterShape = {
  minMagnitude: queryNumber({}, "inclusive").optional(),
  maxMagnitude: queryNumber({}, "inclusive").optional(),
  minDepth: queryNumber({}, "km, inclusive").optional(),
  maxDepth: queryNumber({}, "km, inclusive").optional(),
  startTime: queryTime("ISO 8601, inclusive").optional(),
  endTime: queryTime("ISO 8601, inclusive").optional(),
  minLatitude: latitude("deg, inclusive").optional(),
  maxLatitude: latitude("deg, inclusive").optional(),
  minLongitude: longitude(
    "deg, inclusive; above maxLongitude: a box across the antimeridian",
  ).optional(),
  maxLongitude: longitude("deg, inclusive").optional(),
  eventType: queryList("QuakeML event type").optional(),
  magnitudeType: queryList("for example ML, Mw").optional(),
  evaluationStatus: queryList("evaluation status").optional(),
  evaluationMode: queryList("evaluation mode").optional(),
  maxAzimuthalGap: queryNumber({ min: 0, max: 360 }, "deg").optional(),
  minUsedStationCount: queryInteger({ min: 0 }, "stations").optional(),
  minUsedPhaseCount: queryInteger({ min: 0 }, "phases").optional(),
  maxStandardError: queryNumber({ min: 0 }, "s").optional(),
  maxMagnitudeUncertainty: queryNumber({ min: 0 }, "magnitude units").optional(),
  latitude: latitude("deg, centre of a circle").optional(),
  longitude: longitude("deg, centre of a circle").optional(),
  maxRadiusKm: queryNumber({ min: 0, max: HALF_CIRCUMFERENCE_KM }, "km, inclusive").optional(),
  minRadiusKm: queryNumber({ min: 0, max: HALF_CIRCUMFERENCE_KM }, "km, inclusive").optional(),
};

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

/** The filters that `/filtered` and export share. */
export const EventFilters = filteredQuery(filterShape);
export type EventFilters = z.output<typeof EventFilters>;

/** Newest or largest first, except with `-asc`; ties by time, then id, in the same direction. */
export const EventOrder = z.enum(["time", "time-asc", "magnitude", "magnitude-asc"]);
export type EventOrder = z.output<typeof EventOrder>;

export const orderBy = EventOrder.optional().describe("default time, newest first");
