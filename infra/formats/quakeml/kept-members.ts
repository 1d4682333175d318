import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { MechanismShape } from "./mechanism-shape.ts";

/**
 * Members of QuakeML's origins and magnitudes that have no attribute. They are kept under `extra`,
 * and the writer puts them back in their places.
 */

/** Members of an origin, by their names under `extra`. */
export const ORIGIN_FLAGS = { time_fixed: "timeFixed", epicenter_fixed: "epicenterFixed" } as const;
export const ORIGIN_IDS = { earth_model_id: "earthModelID", method_id: "methodID" } as const;

/** A magnitude's `methodID`, and the `agencyID` in its `creationInfo`. */
export const MAGNITUDE_METHOD = "magnitude_method_id";
export const MAGNITUDE_AGENCY = "magnitude_agency_id";

export const UNCERTAINTY = "origin_uncertainty";

const CIRCLE = "horizontal uncertainty";

/** QuakeML's OriginUncertainty, with its own names and units: metres, degrees, percent. */
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

/** Whether the attribute `horizontal_uncertainty` contains all of it. */
export function isPlainCircle({
  horizontalUncertainty,
  preferredDescription = CIRCLE,
  ...more
}: JsonObject): boolean {
  const isCircle = preferredDescription === CIRCLE && Object.keys(more).length === 0;
  return horizontalUncertainty !== undefined && isCircle;
}

/** The radius in metres that is read as `horizontal_uncertainty`; for an ellipse, the largest. */
export function radiusOf(uncertainty: JsonObject): JsonValue | undefined {
  return uncertainty["horizontalUncertainty"] ?? uncertainty["maxHorizontalUncertainty"];
}

/** Matches, in JSON, the names under `extra` that the writer puts back in their places. */
export const ANY_KEPT = new RegExp(
  `"(?:${[
    ...Object.keys(ORIGIN_FLAGS),
    ...Object.keys(ORIGIN_IDS),
    MAGNITUDE_METHOD,
    MAGNITUDE_AGENCY,
    UNCERTAINTY,
  ].join("|")})"`,
);
