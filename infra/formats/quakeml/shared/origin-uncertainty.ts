import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { MechanismShape } from "./mechanism-shape.ts";

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
