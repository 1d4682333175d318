import { ORIGIN_FLAGS, ORIGIN_IDS } from "../shared/extra-members.ts";
import {
  FOCAL_MECHANISM,
  type MechanismShape,
  type MemberKind,
} from "../shared/mechanism-shape.ts";
import { ORIGIN_UNCERTAINTY } from "../shared/origin-uncertainty.ts";

/** The members of an object that come into a row, with those of its parts. */
export type RowShape = { readonly [member: string]: RowShape };

const ALL: RowShape = {};
const QUANTITY = members("value", "uncertainty");
const CREATION_INFO = members("agencyID", "author", "creationTime", "version");

/** What a row takes from an event: whatever else an event holds is in its bulletin alone. */
export const EVENT_IN_ROW: RowShape = {
  ...members("publicID", "type", "typeCertainty"),
  ...members("preferredOriginID", "preferredMagnitudeID", "preferredFocalMechanismID"),
  description: members("text", "type"),
  creationInfo: CREATION_INFO,
  origin: {
    ...members("publicID", "depthType", "region", "evaluationMode", "evaluationStatus"),
    ...members(...Object.values(ORIGIN_FLAGS), ...Object.values(ORIGIN_IDS)),
    time: QUANTITY,
    latitude: QUANTITY,
    longitude: QUANTITY,
    depth: QUANTITY,
    quality: members(
      "usedPhaseCount",
      "usedStationCount",
      "standardError",
      "azimuthalGap",
      "minimumDistance",
    ),
    originUncertainty: shapeOf(ORIGIN_UNCERTAINTY),
    creationInfo: CREATION_INFO,
  },
  magnitude: {
    ...members("publicID", "type", "originID", "stationCount", "methodID"),
    mag: QUANTITY,
    creationInfo: members("agencyID"),
  },
  focalMechanism: shapeOf(FOCAL_MECHANISM),
};

function members(...names: readonly string[]): RowShape {
  return Object.fromEntries(names.map((name) => [name, ALL]));
}

function shapeOf(shape: MechanismShape): RowShape {
  return Object.fromEntries(Object.entries(shape).map(([name, kind]) => [name, partOf(kind)]));
}

function partOf(kind: MemberKind): RowShape {
  if (kind === "quantity") return members("value");
  if (typeof kind === "string") return ALL;
  if ("members" in kind) return shapeOf(kind.members);
  return "list" in kind ? shapeOf(kind.list) : ALL;
}
