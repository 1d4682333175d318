import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/quakeml-types.ts";
import { takeOutOfOrigins } from "../reading/finish-event.ts";
import type { OpenObject } from "../reading/foreign-of-object.ts";
import { walkReferences } from "../reading/reference-walk.ts";
import type { ObjectsBeside } from "./objects-beside.ts";

const REFERENCES = [
  { kind: "origin", preferred: "preferredOriginID" },
  { kind: "magnitude", preferred: "preferredMagnitudeID" },
  { kind: "focalMechanism", preferred: "preferredFocalMechanismID" },
] as const satisfies readonly { kind: Kind; preferred: string }[];

/** Whether an event names objects beside it. */
export function refersBeside(event: OpenObject): boolean {
  const named = foreignOf(event).some(({ name }) =>
    REFERENCES.some(({ kind }) => isOf(kind, name)),
  );
  return named || (event["origin"] === undefined && event["preferredOriginID"] !== undefined);
}

/**
 * Takes into an event of the real-time variant the objects that it refers to, those that they refer to,
 * and the magnitudes of its origins.
 */
export function joinEvent(event: OpenObject, beside: ObjectsBeside): void {
  const present = idsIn(event);

  function take(kind: Kind, id: string): boolean {
    if (present.has(keyOf(kind, id))) return true;
    const object = beside.find(kind, id);
    if (object !== undefined) addObject(kind, object);
    return object !== undefined;
  }

  function addObject(kind: Kind, object: OpenObject): void {
    const key = keyOf(kind, object["publicID"]);
    if (present.has(key)) return;
    present.add(key);
    const list = event[kind] as OpenObject[] | undefined;
    if (list === undefined) event[kind] = [object];
    else list.push(object);
  }

  for (const { kind, preferred } of REFERENCES) {
    takeReferences(event, kind, (id) => take(kind, id));
    const id = event[preferred];
    if (typeof id === "string") take(kind, id);
  }
  takeOutOfOrigins(event);
  for (const { publicID } of (event["origin"] ?? []) as OpenObject[]) {
    for (const kind of ["magnitude", "stationMagnitude"] as const) {
      for (const object of beside.ofOrigin(kind, publicID as string)) addObject(kind, object);
    }
  }
  takeReferred(event, take);
}

/**
 * Takes what the event's objects refer to, until nothing is added: picks of arrivals and amplitudes,
 * amplitudes of station magnitudes. An origin is taken only beside another: alone it is no hypocentre.
 */
function takeReferred(event: OpenObject, take: (kind: Kind, id: string) => boolean): void {
  const asked = new Set<string>();
  for (let before = -1; before < asked.size; ) {
    before = asked.size;
    const found: (readonly [Kind, string])[] = [];
    walkReferences(event, {
      reference(to, object, member) {
        const id = object[member] as string;
        const key = keyOf(to, id);
        if (asked.has(key) || (to === "origin" && event["origin"] === undefined)) return;
        asked.add(key);
        found.push([to, id]);
      },
    });
    for (const [kind, id] of found) {
      if (kind !== "arrival" && kind !== "momentTensor") take(kind, id);
    }
  }
}

/** Follows references by element and takes those out that lead somewhere. */
function takeReferences(event: OpenObject, kind: Kind, take: (id: string) => boolean): void {
  const foreign = foreignOf(event);
  const rest = foreign.filter(({ name, children = [] }) => {
    if (!isOf(kind, name)) return true;
    const id = children.find((child) => child.name === `${kind}ID`)?.text?.trim();
    return id === undefined || !take(id);
  });
  if (rest.length === foreign.length) return;
  if (rest.length > 0) event["foreign"] = rest;
  else delete event["foreign"];
}

function isOf(kind: Kind, name: string): boolean {
  return name === `${kind}Reference`;
}

function foreignOf(event: OpenObject): readonly Foreign[] {
  return (event["foreign"] ?? []) as readonly Foreign[];
}

function idsIn(event: OpenObject): Set<string> {
  const ids = new Set<string>();
  walkReferences(event, {
    object(kind, object) {
      ids.add(keyOf(kind, object["publicID"]));
    },
  });
  return ids;
}

function keyOf(kind: Kind, id: unknown): string {
  return `${kind} ${id}`;
}
