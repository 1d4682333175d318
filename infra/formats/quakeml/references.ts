import { type Kind, type ReferencePlan, referencePlanOf } from "#contracts/bulletin/quakeml.ts";
import { EVENT_ID_PATH } from "#contracts/seismic-event/ids.ts";
import { OWN_NAMESPACE, serviceId } from "../bulletin/names.ts";
import type { EventReading } from "./object-builder.ts";
import { isStandIn, OWN_FORMS } from "./own-forms.ts";
import { foreignOf, type OpenObject } from "./type-plans.ts";

const EVENT_PLAN = referencePlanOf("Event");

type ReferenceVisitor = {
  /** An object with an id; its kind is the name of its element. */
  readonly object?: (kind: Kind, object: OpenObject) => void;
  readonly reference?: (to: Kind, object: OpenObject, member: string) => void;
};

/** Visits an event's objects and references, in the order of the table, without following any. */
export function walkReferences(event: OpenObject, visitor: ReferenceVisitor): void {
  visit(EVENT_PLAN, event, null, visitor);
}

function visit(
  plan: ReferencePlan,
  object: OpenObject,
  kind: Kind | null,
  visitor: ReferenceVisitor,
): void {
  if (kind !== null && plan.hasId) visitor.object?.(kind, object);
  for (const { member, to } of plan.references) {
    if (object[member] !== undefined) visitor.reference?.(to, object, member);
  }
  for (const { member, many, plan: inner } of plan.parts) {
    const value = object[member];
    if (value === undefined) continue;
    if (!many) visit(inner, value as OpenObject, member as Kind, visitor);
    else for (const item of value as OpenObject[]) visit(inner, item, member as Kind, visitor);
  }
}

/**
 * How many references lead nowhere, and how many ids are another's of the kind, by kind: one look-up for
 * each reference. A reference that is empty, because it is missing, counts as none.
 */
export function referenceFaults(event: OpenObject) {
  const ids = new Map<Kind, Set<string>>();
  const repeated = new Map<Kind, number>();
  const dangling = new Map<Kind, number>();
  walkReferences(event, {
    object(kind, { publicID }) {
      const present = ids.get(kind);
      if (present === undefined) ids.set(kind, new Set([publicID as string]));
      else if (present.has(publicID as string)) add(repeated, kind);
      else present.add(publicID as string);
    },
  });
  walkReferences(event, {
    reference(to, object, member) {
      const id = object[member] as string;
      if (id !== "" && ids.get(to)?.has(id) !== true) add(dangling, to);
    },
  });
  return { dangling, repeated };
}

function add(counts: Map<Kind, number>, kind: Kind): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

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
      const item = { ns: OWN_NAMESPACE, name: OWN_FORMS.givenId, attribute: true, text: id };
      object["foreign"] = [...foreignOf(object), item];
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
      for (const object of inside) object["originID"] ||= origin["publicID"];
      event[kind] = [...((event[kind] ?? []) as OpenObject[]), ...inside];
    }
  }
}

/** Gives an event and its objects ids of the service where they have none. */
export function nameObjects(event: OpenObject): void {
  if (event["publicID"] === "") {
    // What it says of its origin tells an event without an id from others.
    event["publicID"] = serviceId(JSON.stringify(event["origin"] ?? event), "event", 0);
  }
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
