import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import { nameObjects, takeOutOfOrigins } from "../reading/finish-event.ts";
import type { OpenObject } from "../reading/foreign-of-object.ts";
import type { Named, ObjectsBeside, Parts, Taken } from "./objects-beside.ts";

const REFERENCES: ReadonlyMap<string, Kind> = new Map([
  ["originReference", "origin"],
  ["magnitudeReference", "magnitude"],
  ["focalMechanismReference", "focalMechanism"],
]);

/** Whether an event names objects beside it. */
export function refersBeside(event: OpenObject): boolean {
  const named = foreignOf(event).some(({ name }) => REFERENCES.has(name));
  return named || (event["origin"] === undefined && event["preferredOriginID"] !== undefined);
}

/**
 * Takes into an event the objects beside it that belong to it; returns them, else why they cannot be
 * had. References by element that lead somewhere are taken out.
 * @param isOnly amplitudes that nothing names are the event's, since the document has no other
 */
export function joinEvent(
  event: OpenObject,
  beside: ObjectsBeside,
  isOnly: boolean,
): Taken | string {
  const foreign = foreignOf(event);
  const named = new Map<Foreign, Named>();
  for (const item of foreign) {
    const one = namedBy(item);
    if (one !== null && beside.has(one)) named.set(item, one);
  }
  takeOutOfOrigins(event);
  const strays = isOnly ? beside.allOf("amplitude") : [];
  let taken = beside.takeFor(event, [...named.values(), ...strays]);
  if (typeof taken === "string" && strays.length > 0) {
    taken = beside.takeFor(event, [...named.values()]);
  }
  if (typeof taken === "string") return taken;
  const rest = foreign.filter((item) => !named.has(item));
  if (rest.length > 0) event["foreign"] = rest;
  else delete event["foreign"];
  for (const parts of taken.parts) addParts(event, parts);
  nameObjects(event);
  return taken;
}

function addParts(event: OpenObject, parts: Parts): void {
  for (const [list, objects] of Object.entries(parts)) {
    const present = event[list] as OpenObject[] | undefined;
    if (present === undefined) event[list] = [...objects];
    else for (const object of objects) present.push(object);
  }
}

/** QuakeML has the id in an element of its own, SCML as text. */
function namedBy({ name, text, children = [] }: Foreign): Named | null {
  const kind = REFERENCES.get(name);
  if (kind === undefined) return null;
  const id = (children.find((child) => child.name === `${kind}ID`)?.text ?? text)?.trim();
  return id === undefined || id === "" ? null : { kind, id };
}

function foreignOf(event: OpenObject): readonly Foreign[] {
  return (event["foreign"] ?? []) as readonly Foreign[];
}
