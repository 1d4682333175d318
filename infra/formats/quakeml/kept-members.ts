import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { MechanismShape } from "./mechanism-shape.ts";

/**
 * What an origin and a magnitude of QuakeML say that no attribute holds. It is kept under `extra`, from
 * where the writer brings it back to its place.
 */

/** Members of an origin by their names under `extra`. */
export const ORIGIN_FLAGS = { time_fixed: "timeFixed", epicenter_fixed: "epicenterFixed" } as const;
export const ORIGIN_IDS = { earth_model_id: "earthModelID", method_id: "methodID" } as const;

/** Of a magnitude: `methodID`, and the `agencyID` of its `creationInfo`. */
export const MAGNITUDE_METHOD = "magnitude_method_id";
export const MAGNITUDE_AGENCY = "magnitude_agency_id";

export const UNCERTAINTY = "origin_uncertainty";

const CIRCLE = "horizontal uncertainty";

/** QuakeML's OriginUncertainty, under its own names and in its own units: metres, degrees, percent. */
export const ORIGIN_UNCERTAINTY: MechanismShape = {
  horizontalUncertainty: "real",
  minHorizontalUncertainty: "real",
  maxHorizontalUncertainty: "real",
  azimuthMaxHorizontalUncertainty: "real",
  confidenceEllipsoid: {
    members: {
      semiMajorAxisLength: "real",
      semiMinorAxisLength: "real",
      semiIntermediateAxisLength: "real",
      majorAxisPlunge: "real",
      majorAxisAzimuth: "real",
      majorAxisRotation: "real",
    },
  },
  preferredDescription: { values: [CIRCLE, "uncertainty ellipse", "confidence ellipsoid"] },
  confidenceLevel: "real",
};

/** Whether the attribute `horizontal_uncertainty` alone says as much. */
export function isPlainCircle({
  horizontalUncertainty,
  preferredDescription = CIRCLE,
  ...more
}: JsonObject): boolean {
  const isCircle = preferredDescription === CIRCLE && Object.keys(more).length === 0;
  return horizontalUncertainty !== undefined && isCircle;
}

/** The radius in metres that is read as `horizontal_uncertainty`: the largest of an ellipse. */
export function radiusOf(uncertainty: JsonObject): JsonValue | undefined {
  return uncertainty["horizontalUncertainty"] ?? uncertainty["maxHorizontalUncertainty"];
}

/** Names under `extra` that the writer knows a place for, as they stand in JSON. */
export const ANY_KEPT = new RegExp(
  `"(?:${[
    ...Object.keys(ORIGIN_FLAGS),
    ...Object.keys(ORIGIN_IDS),
    MAGNITUDE_METHOD,
    MAGNITUDE_AGENCY,
    UNCERTAINTY,
  ].join("|")})"`,
);
