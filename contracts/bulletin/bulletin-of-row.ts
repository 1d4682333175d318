import { compactEventId } from "../seismic-event/event-id.ts";
import { movePoint } from "../seismic-event/input-names.ts";
import { EVENT_ID_PATH, OWN_AUTHORITY, SOURCE_ID_PATH } from "../seismic-event/own-public-id.ts";
import { bareId, idsOf } from "../seismic-event/public-id.ts";
import type { JsonObject, SeismicEvent } from "../seismic-event/seismic-event.ts";
import type { Bulletin, QuakemlObject } from "./bulletin.ts";
import { withExtraMembers } from "./extra-of-row.ts";
import { withOwnAttributes } from "./own-members.ts";
import { placedObject } from "./placed-object.ts";
import {
  KILOMETRES_TO_METRES,
  type PathName,
  pathNames,
  rowValueIn,
  withRowValue,
} from "./row-paths.ts";

type Origin = QuakemlObject<"Origin">;
type Magnitude = QuakemlObject<"Magnitude">;
type Mechanism = QuakemlObject<"FocalMechanism">;

const ONE_WORD = /^\w+$/;

type RowIds = ReturnType<typeof rowIds>;

/**
 * Ids of the service for what an event's row says, which has none of its own.
 * @param suffix of a later version of it, with a slash before
 */
export function rowIds(eventId: string, suffix = "") {
  const id = compactEventId(eventId) + suffix;
  const mechanism = (place: number) => `${OWN_AUTHORITY}mechanism/${id}/${place}`;
  return {
    origin: `${OWN_AUTHORITY}origin/${id}`,
    magnitude: `${OWN_AUTHORITY}magnitude/${id}`,
    /** @param place from 1 */
    mechanism,
    tensor: (place: number) => `${mechanism(place)}/tensor`,
  };
}

/**
 * The bulletin of an event that has none: what its row says, as one origin, one magnitude and the
 * mechanisms, so that its view is the row again. What QuakeML has no place for stands in the event's own
 * element; of `extra`, members of an origin or magnitude come into their places, others stay the row's.
 */
export function bulletinOfRow(event: SeismicEvent): Bulletin {
  const ids = rowIds(event.id);
  const origin = originOfRow(event, ids.origin);
  const magnitude = event.magnitude === null ? null : magnitudeOfRow(event, ids);
  const mechanisms = mechanismsOfRow(event.focal_mechanisms ?? [], ids);
  const bulletin: Bulletin = {
    publicID: publicIdOf(event),
    ...(event.region !== null && { description: [{ text: event.region, type: "region name" }] }),
    ...(mechanisms.list.length > 0 && {
      focalMechanism: mechanisms.list,
      preferredFocalMechanismID: mechanisms.list[0]?.publicID,
    }),
    ...(magnitude !== null && { magnitude: [magnitude], preferredMagnitudeID: magnitude.publicID }),
    origin: [origin],
    preferredOriginID: origin.publicID,
  } as Bulletin;
  const withTypes = pathNames("event").reduce((b, name) => placed(b, name, event), bulletin);
  const unsaid = unsaidIn(event, withTypes, mechanisms.exact);
  return withOwnAttributes(withExtraMembers(withTypes, event), unsaid);
}

function placed<T extends object>(object: T, name: PathName, event: SeismicEvent): T {
  return event[name] === null ? object : withRowValue(object, name, event[name]);
}

function originOfRow(event: SeismicEvent, publicID: string): Origin {
  const origin = pathNames("origin").reduce((o, name) => placed(o, name, event), {
    publicID,
  } as Origin);
  const radius = event.horizontal_uncertainty;
  return radius === null ? origin : { ...origin, originUncertainty: [circleOf(radius)] };
}

/** @param radius kilometres */
export function circleOf(radius: number): QuakemlObject<"OriginUncertainty"> {
  return {
    horizontalUncertainty: movePoint(radius, KILOMETRES_TO_METRES) as number,
    preferredDescription: "horizontal uncertainty",
  };
}

function magnitudeOfRow(event: SeismicEvent, ids: RowIds): Magnitude {
  const magnitude = { publicID: ids.magnitude, originID: ids.origin } as Magnitude;
  return pathNames("magnitude").reduce((m, name) => placed(m, name, event), magnitude);
}

/**
 * Mechanisms of a row; `exact` is false when something of them has no place.
 * @param present those of the bulletin at the same places, whose hidden members stay
 */
export function mechanismsOfRow(
  rows: readonly JsonObject[],
  ids: RowIds,
  present: readonly (Mechanism | undefined)[] = [],
): { readonly list: Mechanism[]; readonly exact: boolean } {
  const list: Mechanism[] = [];
  let isExact = true;
  for (const [i, row] of rows.entries()) {
    const own = {
      FocalMechanism: { publicID: ids.mechanism(i + 1) },
      MomentTensor: { publicID: ids.tensor(i + 1), derivedOriginID: ids.origin },
    };
    const { object, exact } = placedObject("FocalMechanism", row, present[i], own);
    isExact &&= exact;
    const mechanism = object === null ? present[i] : (object as unknown as Mechanism);
    if (mechanism !== undefined) list.push(mechanism);
  }
  return { list, exact: isExact };
}

/** The agency's public id, if the row has it, else one that names the row's own id. */
function publicIdOf(event: SeismicEvent): string {
  const { publicId } = idsOf(event);
  if (publicId !== null) return publicId;
  const { id, source_id: sourceId } = event;
  return sourceId !== null && ONE_WORD.test(sourceId)
    ? SOURCE_ID_PATH + sourceId
    : EVENT_ID_PATH + compactEventId(id);
}

/** What the row says and the bulletin's places do not. */
function unsaidIn(event: SeismicEvent, bulletin: Bulletin, hasMechanisms: boolean): JsonObject {
  const unsaid: JsonObject = {};
  const objects = {
    event: bulletin,
    origin: bulletin.origin?.[0],
    magnitude: bulletin.magnitude?.[0],
  };
  for (const kind of ["event", "origin", "magnitude"] as const) {
    for (const name of pathNames(kind)) {
      if (rowValueIn(objects[kind], name) !== event[name]) unsaid[name] = event[name];
    }
  }
  const { focal_mechanisms: mechanisms, horizontal_uncertainty: radius } = event;
  const metres = bulletin.origin?.[0]?.originUncertainty?.[0]?.horizontalUncertainty ?? null;
  if (movePoint(metres, -KILOMETRES_TO_METRES) !== radius) {
    unsaid["horizontal_uncertainty"] = radius;
  }
  if (!hasMechanisms && mechanisms !== null) unsaid["focal_mechanisms"] = mechanisms;
  if (sourceIdIn(bulletin.publicID) !== event.source_id) unsaid["source_id"] = event.source_id;
  return unsaid;
}

function sourceIdIn(publicID: string): string | null {
  if (publicID.startsWith(EVENT_ID_PATH)) return null;
  return publicID.startsWith(SOURCE_ID_PATH)
    ? publicID.slice(SOURCE_ID_PATH.length)
    : bareId(publicID);
}
