import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { FLINN_ENGDAHL, OWN_ELEMENT } from "../shared/event-ids.ts";
import { FOCAL_MECHANISM } from "../shared/mechanism-shape.ts";
import { idsOfEvent, isOwnEvent } from "./agency-ids.ts";
import { keepMembers } from "./keep-members.ts";
import { childOf, childrenOf, type Members, numberOf, ownText, textOf } from "./members.ts";
import { withOwnAttributes } from "./own-attributes.ts";
import { preferredFirst, preferredMagnitude } from "./preferred.ts";
import { readMechanism } from "./read-mechanism.ts";
import {
  keep,
  putEnumeration,
  putEventType,
  putNumber,
  putText,
  type RowDraft,
  shorten,
} from "./row-draft.ts";

const METRES_TO_KILOMETRES = -3;

/** Types of descriptions that name the region, best first. */
const REGION_DESCRIPTIONS = ["region name", FLINN_ENGDAHL, "earthquake name"];

export type EventParts = {
  readonly event: Members;
  readonly origin: Members;
  readonly magnitudes: readonly Members[];
  readonly mechanisms: readonly Members[];
  /** Numbers that were spelled in another way than JSON's, where that was noted. */
  readonly spelled?: readonly Spelled[];
};

type Spelled = { readonly object: Members; readonly member: string; readonly text: string };

/**
 * An event's row with keys in canonical order, or why it has none. Depth and magnitude may be null.
 */
export function readEvent(
  { event, origin, magnitudes, mechanisms, spelled = [] }: EventParts,
  warn: (message: string) => void,
): JsonObject | string {
  const time = textOf(childOf(origin, "time"), "value");
  if (time === undefined) return "the event's origin has no time";
  const row: JsonObject = { time, latitude: null, longitude: null, depth: null, magnitude: null };
  const draft: RowDraft = { row, extra: null, warn };
  const number = numberTexts(spelled);
  if (parseTime(time) === null) warn(`time ${JSON.stringify(shorten(time))} is not a valid time`);
  for (const name of ["latitude", "longitude"] as const) {
    const given = number(childOf(origin, name), "value");
    putNumber(draft, name, given);
    if (typeof draft.row[name] === "number") continue;
    return given === undefined
      ? `the event's origin has no ${name}`
      : `the event's ${name} ${JSON.stringify(shorten(String(given)))} is not a number`;
  }
  const magnitude = preferredMagnitude(event, magnitudes, origin, warn);
  putDepthAndMagnitude(draft, origin, magnitude, number);
  putText(draft, "region", regionOf(event, origin, isOwnEvent(event)));
  const { sourceId, publicId } = idsOfEvent(event);
  putText(draft, "source_id", sourceId);
  putEventType(draft, textOf(event, "type"));
  putEnumeration(draft, "event_type_certainty", textOf(event, "typeCertainty"));
  putOrigin(draft, origin, number);
  putCreation(draft, event, origin);
  keepMembers(draft, origin, magnitude);
  if (publicId !== undefined) keep(draft, "public_id", publicId);
  if (mechanisms.length > 0) {
    draft.row["focal_mechanisms"] = preferredFirst(event, mechanisms).map((mechanism) =>
      readMechanism(mechanism, FOCAL_MECHANISM, warn),
    );
  }
  return withOwnAttributes(draft, ownText(event, OWN_ELEMENT));
}

type NumberText = (object: Members | undefined, member: string) => number | string | undefined;

/** Numbers as they were spelled: those that stand for "not known" are kept so. */
function numberTexts(spelled: readonly Spelled[]): NumberText {
  if (spelled.length === 0) return numberOf;
  return (object, member) =>
    spelled.find((item) => item.object === object && item.member === member)?.text ??
    numberOf(object, member);
}

function putDepthAndMagnitude(
  draft: RowDraft,
  origin: Members,
  magnitude: Members | undefined,
  number: NumberText,
): void {
  const depth = childOf(origin, "depth");
  const mag = childOf(magnitude, "mag");
  putNumber(draft, "depth", number(depth, "value"), METRES_TO_KILOMETRES);
  putNumber(draft, "magnitude", number(mag, "value"));
  putText(draft, "magnitude_type", textOf(magnitude, "type"));
  putNumber(draft, "magnitude_uncertainty", number(mag, "uncertainty"));
  putNumber(draft, "magnitude_station_count", number(magnitude, "stationCount"));
  putNumber(draft, "depth_uncertainty", number(depth, "uncertainty"), METRES_TO_KILOMETRES);
}

function putOrigin(draft: RowDraft, origin: Members, number: NumberText): void {
  putEnumeration(draft, "evaluation_mode", textOf(origin, "evaluationMode"));
  putEnumeration(draft, "evaluation_status", textOf(origin, "evaluationStatus"));
  const quality = childOf(origin, "quality");
  if (quality !== undefined) {
    putNumber(draft, "used_station_count", number(quality, "usedStationCount"));
    putNumber(draft, "used_phase_count", number(quality, "usedPhaseCount"));
    putNumber(draft, "azimuthal_gap", number(quality, "azimuthalGap"));
    putNumber(draft, "standard_error", number(quality, "standardError"));
    putNumber(draft, "minimum_distance", number(quality, "minimumDistance"));
  }
  const horizontal = childOf(origin, "originUncertainty");
  const radius =
    number(horizontal, "horizontalUncertainty") ?? number(horizontal, "maxHorizontalUncertainty");
  putNumber(draft, "horizontal_uncertainty", radius, METRES_TO_KILOMETRES);
  for (const name of ["time", "latitude", "longitude"] as const) {
    putNumber(draft, `${name}_uncertainty`, number(childOf(origin, name), "uncertainty"));
  }
  putEnumeration(draft, "depth_type", textOf(origin, "depthType"));
}

/** Agency and author come from the origin first, version and creation time from the event. */
function putCreation(draft: RowDraft, event: Members, origin: Members): void {
  const ofOrigin = childOf(origin, "creationInfo");
  const ofEvent = childOf(event, "creationInfo");
  if (ofOrigin === undefined && ofEvent === undefined) return;
  putText(draft, "agency_id", textOf(ofOrigin, "agencyID") ?? textOf(ofEvent, "agencyID"));
  putText(draft, "author", textOf(ofOrigin, "author") ?? textOf(ofEvent, "author"));
  const created = textOf(ofEvent, "creationTime") ?? textOf(ofOrigin, "creationTime");
  if (created !== undefined) keep(draft, "creation_time", created);
  const version = textOf(ofEvent, "version") ?? textOf(ofOrigin, "version");
  if (version !== undefined) keep(draft, "version", version);
}

function regionOf(event: Members, origin: Members, own: boolean): string | undefined {
  const descriptions = childrenOf(event, "description");
  for (const type of REGION_DESCRIPTIONS) {
    if (own && type === FLINN_ENGDAHL) continue;
    for (const description of descriptions) {
      if (textOf(description, "type") !== type) continue;
      const text = textOf(description, "text");
      if (text !== undefined) return text;
    }
  }
  return textOf(origin, "region");
}
