import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { FLINN_ENGDAHL } from "../event-ids.ts";
import { FOCAL_MECHANISM } from "../mechanism-shape.ts";
import { idsOfEvent, isOwnEvent } from "./agency-ids.ts";
import { keepMembers } from "./keep-members.ts";
import { childOf, childrenOf, type Members, textOf } from "./members.ts";
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
  /** Text of our own element. */
  readonly own: string | undefined;
};

/**
 * An event's row with keys in canonical order, or why it has none. Depth and magnitude may be null.
 */
export function readEvent(
  { event, origin, magnitudes, mechanisms, own: ownText }: EventParts,
  warn: (message: string) => void,
): JsonObject | string {
  const time = textOf(childOf(origin, "time"), "value");
  if (time === undefined) return "the event's origin has no time";
  const row: JsonObject = { time, latitude: null, longitude: null, depth: null, magnitude: null };
  const draft: RowDraft = { row, extra: null, warn };
  if (parseTime(time) === null) warn(`time ${JSON.stringify(shorten(time))} is not a valid time`);
  for (const name of ["latitude", "longitude"] as const) {
    const text = textOf(childOf(origin, name), "value");
    putNumber(draft, name, text);
    if (typeof draft.row[name] === "number") continue;
    return text === undefined
      ? `the event's origin has no ${name}`
      : `the event's ${name} ${JSON.stringify(shorten(text))} is not a number`;
  }
  const own = isOwnEvent(event);
  const magnitude =
    own && textOf(event, "preferredMagnitudeID") === undefined
      ? undefined
      : preferredMagnitude(event, magnitudes, origin, warn);
  putDepthAndMagnitude(draft, origin, magnitude);
  putText(draft, "region", regionOf(event, origin, own));
  const { sourceId, publicId } = idsOfEvent(event);
  putText(draft, "source_id", sourceId);
  putEventType(draft, textOf(event, "type"));
  putEnumeration(draft, "event_type_certainty", textOf(event, "typeCertainty"));
  putOrigin(draft, origin);
  putCreation(draft, event, origin);
  keepMembers(draft, origin, magnitude);
  if (publicId !== undefined) keep(draft, "public_id", publicId);
  if (mechanisms.length > 0) {
    draft.row["focal_mechanisms"] = preferredFirst(event, mechanisms).map((mechanism) =>
      readMechanism(mechanism, FOCAL_MECHANISM, warn),
    );
  }
  return withOwnAttributes(draft, ownText);
}

function putDepthAndMagnitude(
  draft: RowDraft,
  origin: Members,
  magnitude: Members | undefined,
): void {
  const depth = childOf(origin, "depth");
  const mag = childOf(magnitude, "mag");
  putNumber(draft, "depth", textOf(depth, "value"), METRES_TO_KILOMETRES);
  putNumber(draft, "magnitude", textOf(mag, "value"));
  putText(draft, "magnitude_type", textOf(magnitude, "type"));
  putNumber(draft, "magnitude_uncertainty", textOf(mag, "uncertainty"));
  putNumber(draft, "magnitude_station_count", textOf(magnitude, "stationCount"));
  putNumber(draft, "depth_uncertainty", textOf(depth, "uncertainty"), METRES_TO_KILOMETRES);
}

function putOrigin(draft: RowDraft, origin: Members): void {
  putEnumeration(draft, "evaluation_mode", textOf(origin, "evaluationMode"));
  putEnumeration(draft, "evaluation_status", textOf(origin, "evaluationStatus"));
  const quality = childOf(origin, "quality");
  if (quality !== undefined) {
    putNumber(draft, "used_station_count", textOf(quality, "usedStationCount"));
    putNumber(draft, "used_phase_count", textOf(quality, "usedPhaseCount"));
    putNumber(draft, "azimuthal_gap", textOf(quality, "azimuthalGap"));
    putNumber(draft, "standard_error", textOf(quality, "standardError"));
    putNumber(draft, "minimum_distance", textOf(quality, "minimumDistance"));
  }
  const horizontal = childOf(origin, "originUncertainty");
  const radius =
    textOf(horizontal, "horizontalUncertainty") ?? textOf(horizontal, "maxHorizontalUncertainty");
  putNumber(draft, "horizontal_uncertainty", radius, METRES_TO_KILOMETRES);
  for (const name of ["time", "latitude", "longitude"] as const) {
    putNumber(draft, `${name}_uncertainty`, textOf(childOf(origin, name), "uncertainty"));
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
