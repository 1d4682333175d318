import type { Kind } from "#contracts/bulletin/field.ts";
import { EVENT_ID_PATH } from "#contracts/seismic-event/own-public-id.ts";
import { OWN_NAMESPACE } from "../shared/event-ids.ts";
import { isStandIn, OWN_FORMS } from "../shared/own-forms.ts";
import { serviceId } from "../shared/service-id.ts";
import type { EventReading } from "./event-reading.ts";
import type { OpenObject } from "./foreign-of-object.ts";
import { walkReferences } from "./reference-walk.ts";

/**
 * Puts right what an event says about itself only when it is complete: ids of the service that stand for
 * given ones, objects without an id, and magnitudes inside origins.
 */
export function finishEvent(event: OpenObject, reading: EventReading): void {
  if (reading.givenIds.length > 0) restoreIds(event, reading.givenIds);
  if (reading.hasInside) takeOutOfOrigins(event);
  if (reading.hasUnnamed) nameObjects(event);
}

function restoreIds(event: OpenObject, givenIds: EventReading["givenIds"]): void {
  const given = new Map<string, string>();
  for (const { type, object, id } of givenIds) {
    const standIn = object["publicID"] as string;
    if (isStandIn(standIn) || (type.name === "Event" && standIn.startsWith(EVENT_ID_PATH))) {
      given.set(standIn, id);
      object["publicID"] = id;
    } else {
      const foreign = (object["foreign"] ?? []) as unknown[];
      const item = { ns: OWN_NAMESPACE, name: OWN_FORMS.givenId, attribute: true, text: id };
      object["foreign"] = [...foreign, item];
    }
  }
  walkReferences(event, {
    reference(_, object, member) {
      object[member] = given.get(object[member] as string) ?? object[member];
    },
  });
}

/** As in SCML, a magnitude inside an origin is of that origin. */
export function takeOutOfOrigins(event: OpenObject): void {
  for (const origin of (event["origin"] ?? []) as OpenObject[]) {
    for (const kind of ["magnitude", "stationMagnitude"] as const) {
      const inside = origin[kind] as OpenObject[] | undefined;
      if (inside === undefined) continue;
      delete origin[kind];
      for (const object of inside) setOrigin(object, origin);
      event[kind] = [...((event[kind] ?? []) as OpenObject[]), ...inside];
    }
  }
}

function setOrigin(object: OpenObject, { publicID }: OpenObject): void {
  const { originID } = object;
  if (originID === undefined || originID === "") object["originID"] = publicID;
}

/** Gives an event and its objects ids of the service where they have none. */
export function nameObjects(event: OpenObject): void {
  if (event["publicID"] === "") event["publicID"] = nameOfEvent(event);
  const counts = new Map<Kind, number>();
  walkReferences(event, {
    object(kind, object) {
      if (object["publicID"] !== "") return;
      const place = counts.get(kind) ?? 0;
      counts.set(kind, place + 1);
      object["publicID"] = serviceId(event["publicID"] as string, kind, `n${place}`);
    },
  });
}

/** What it says of its origin tells an event without an id from others. */
function nameOfEvent(event: OpenObject): string {
  return serviceId(JSON.stringify(event["origin"] ?? event), "event", 0);
}
