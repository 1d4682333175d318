/**
 * What a row holds of QuakeML's objects under QuakeML's names: mechanisms as an attribute, the
 * rest under `extra`.
 */

import { EVALUATION_MODES, EVALUATION_STATUSES } from "#contracts/seismic-event/attributes.ts";
import { CONVERTED_FROM } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/**
 * How a member of QuakeML's FocalMechanism is written in XML and JSON: `quantity` is a number
 * within `<value>`; `real`, `integer` and `int` are bare numbers (xs:double, xs:integer, xs:int);
 * `attribute` is an integer and `publicID` an identifier in an XML attribute, `id` one in an
 * element.
 */
export type MemberKind =
  | "quantity"
  | "real"
  | "integer"
  | "int"
  | "attribute"
  | "id"
  | "publicID"
  | "time"
  | { readonly maxLength: number }
  | { readonly values: readonly string[] }
  | { readonly members: MechanismShape }
  | { readonly list: MechanismShape };

export type MechanismShape = { readonly [member: string]: MemberKind };

const PLANE: MechanismShape = { strike: "quantity", dip: "quantity", rake: "quantity" };
const AXIS: MechanismShape = { azimuth: "quantity", plunge: "quantity", length: "quantity" };
const CREATION_INFO: MechanismShape = {
  agencyID: { maxLength: 64 },
  author: { maxLength: 128 },
  creationTime: "time",
  version: { maxLength: 64 },
};

const MOMENT_TENSOR: MechanismShape = {
  publicID: "publicID",
  derivedOriginID: "id",
  momentMagnitudeID: "id",
  scalarMoment: "quantity",
  tensor: {
    members: {
      Mrr: "quantity",
      Mtt: "quantity",
      Mpp: "quantity",
      Mrt: "quantity",
      Mrp: "quantity",
      Mtp: "quantity",
    },
  },
  variance: "real",
  varianceReduction: "real",
  doubleCouple: "real",
  clvd: "real",
  iso: "real",
  greensFunctionID: "id",
  filterID: "id",
  sourceTimeFunction: {
    members: {
      type: { values: ["box car", "triangle", "trapezoid", "unknown"] },
      duration: "real",
      riseTime: "real",
      decayTime: "real",
    },
  },
  methodID: "id",
  category: { values: ["teleseismic", "regional"] },
  inversionType: { values: ["general", "zero trace", "double couple"] },
  dataUsed: {
    list: {
      waveType: {
        values: ["P waves", "body waves", "surface waves", "mantle waves", "combined", "unknown"],
      },
      stationCount: "integer",
      componentCount: "integer",
      shortestPeriod: "real",
      longestPeriod: "real",
    },
  },
  creationInfo: { members: CREATION_INFO },
};

/** The members of a focal mechanism that are read and written (QuakeML 1.2 BED, FocalMechanism). */
export const FOCAL_MECHANISM: MechanismShape = {
  publicID: "publicID",
  triggeringOriginID: "id",
  nodalPlanes: {
    members: {
      nodalPlane1: { members: PLANE },
      nodalPlane2: { members: PLANE },
      preferredPlane: "attribute",
    },
  },
  principalAxes: {
    members: { tAxis: { members: AXIS }, pAxis: { members: AXIS }, nAxis: { members: AXIS } },
  },
  azimuthalGap: "real",
  stationPolarityCount: "int",
  misfit: "real",
  stationDistributionRatio: "real",
  momentTensor: { members: MOMENT_TENSOR },
  methodID: "id",
  evaluationMode: { values: EVALUATION_MODES },
  evaluationStatus: { values: EVALUATION_STATUSES },
  creationInfo: { members: CREATION_INFO },
};

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

/** Members of an origin that have no attribute, by their names under `extra`; the writer puts them back. */
export const ORIGIN_FLAGS = { time_fixed: "timeFixed", epicenter_fixed: "epicenterFixed" } as const;
export const ORIGIN_IDS = { earth_model_id: "earthModelID", method_id: "methodID" } as const;

/** A magnitude's `methodID`, and the `agencyID` in its `creationInfo`. */
export const MAGNITUDE_METHOD = "magnitude_method_id";
export const MAGNITUDE_AGENCY = "magnitude_agency_id";

export const UNCERTAINTY = "origin_uncertainty";

/** Matches, in JSON, the names under `extra` of what the writer has places for. */
export const ANY_MEMBER = new RegExp(
  `"(?:${[
    ...Object.keys(ORIGIN_FLAGS),
    ...Object.keys(ORIGIN_IDS),
    MAGNITUDE_METHOD,
    MAGNITUDE_AGENCY,
    UNCERTAINTY,
    CONVERTED_FROM,
  ].join("|")})"`,
);
