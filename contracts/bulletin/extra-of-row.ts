import { methodOfConverted } from "../seismic-event/converted-from.ts";
import { movePoint } from "../seismic-event/input-names.ts";
import {
  isJsonObject,
  type JsonObject,
  type SeismicEventRecord,
} from "../seismic-event/seismic-event.ts";
import type { Bulletin, QuakemlObject } from "./bulletin.ts";
import { placedObject } from "./placed-object.ts";
import { KILOMETRES_TO_METRES, withMember } from "./row-paths.ts";

type Members = Readonly<Record<string, string>>;

/** Names under a row's `extra` of members that have no attribute, by the object that they are of. */
const OF_ORIGIN: Members = {
  time_fixed: "timeFixed",
  epicenter_fixed: "epicenterFixed",
  earth_model_id: "earthModelID",
  method_id: "methodID",
};
const OF_CREATION: Members = { creation_time: "creationTime", version: "version" };
/** Whose the magnitude is, where that is another agency than the origin's. */
export const EXTRA_MAGNITUDE_AGENCY = "magnitude_agency_id";
const AGENCY_OF_MAGNITUDE: Members = { [EXTRA_MAGNITUDE_AGENCY]: "agencyID" };
export const EXTRA_MAGNITUDE_METHOD = "magnitude_method_id";
const OF_MAGNITUDE: Members = { [EXTRA_MAGNITUDE_METHOD]: "methodID" };
const UNCERTAINTY = "origin_uncertainty";

export const EXTRA_OF_ORIGIN: readonly string[] = [...Object.keys(OF_ORIGIN), UNCERTAINTY];
export const EXTRA_OF_MAGNITUDE: readonly string[] = [
  EXTRA_MAGNITUDE_AGENCY,
  EXTRA_MAGNITUDE_METHOD,
];

/** The bulletin of a row with what the row's `extra` says of its event, origin and magnitude. */
export function withExtraMembers(
  bulletin: Bulletin,
  { extra, horizontal_uncertainty: radius }: SeismicEventRecord,
): Bulletin {
  if (extra === null) return bulletin;
  const { origin: [origin] = [], magnitude: [magnitude] = [] } = bulletin;
  const uncertainty = uncertaintyIn(extra[UNCERTAINTY], radius);
  const withUncertainty =
    origin && uncertainty !== null ? { ...origin, originUncertainty: [uncertainty] } : origin;
  return {
    ...withCreation(bulletin, extra, OF_CREATION),
    ...(withUncertainty && { origin: [withTexts(withUncertainty, extra, OF_ORIGIN)] }),
    ...(magnitude && {
      magnitude: [
        withTexts(
          withCreation(withMethod(magnitude, extra), extra, AGENCY_OF_MAGNITUDE),
          extra,
          OF_MAGNITUDE,
        ),
      ],
    }),
  };
}

function withMethod(magnitude: QuakemlObject<"Magnitude">, extra: JsonObject) {
  const methodID = methodOfConverted(extra);
  return methodID === null ? magnitude : { ...magnitude, methodID };
}

function withCreation<T extends { readonly creationInfo?: QuakemlObject<"CreationInfo"> }>(
  object: T,
  extra: JsonObject,
  members: Members,
): T {
  const creationInfo = withTexts(object.creationInfo ?? {}, extra, members);
  return Object.keys(creationInfo).length === 0 ? object : { ...object, creationInfo };
}

function withTexts<T extends object>(object: T, extra: JsonObject, members: Members): T {
  return Object.entries(members).reduce((present, [name, member]) => {
    const value = extra[name];
    const isOfKind = member.endsWith("Fixed")
      ? typeof value === "boolean"
      : typeof value === "string" && value.trim() !== "";
    return isOfKind ? withMember(present, member, value) : present;
  }, object);
}

/** @param radius kilometres; one that differs was edited since, or is of another solution */
function uncertaintyIn(
  given: unknown,
  radius: number | null,
): QuakemlObject<"OriginUncertainty"> | null {
  if (!isJsonObject(given as JsonObject)) return null;
  const { object, exact } = placedObject("OriginUncertainty", given as JsonObject, undefined, {});
  if (object === null || !exact) return null;
  const uncertainty = object as QuakemlObject<"OriginUncertainty">;
  const metres = uncertainty.horizontalUncertainty ?? uncertainty.maxHorizontalUncertainty ?? null;
  return movePoint(metres, -KILOMETRES_TO_METRES) === radius ? uncertainty : null;
}
