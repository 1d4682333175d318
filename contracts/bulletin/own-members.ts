import { compactEventId, OWN_AUTHORITY } from "../seismic-event/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../seismic-event/seismic-event.ts";
import type { Bulletin, Foreign } from "./quakeml.ts";

/** Namespace of the members that only this service writes. */
export const OWN_NAMESPACE = "urn:earthquake-catalogue:1.0";

/** On an event: the attributes of its row that QuakeML has no place for, as JSON text. */
export const OWN_ATTRIBUTES = "attributes";
/** On a solution that an edit made: the public id of the one that it was made from, if any. */
const MADE_FROM = "madeFrom";
/** On an object with an id of the service: the public id that it was given. */
export const OWN_GIVEN_ID = "givenID";

/** Begins the ids of comments that people made here. */
const COMMENT_PATH = `${OWN_AUTHORITY}comment/`;

type WithForeign = { readonly foreign?: readonly Foreign[] };

/** The attributes that the event's own element holds; they replace those of its solutions. */
export function ownAttributesOf(bulletin: Bulletin): JsonObject {
  const text = ownMember(bulletin, OWN_ATTRIBUTES)?.text;
  if (text === undefined) return {};
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The bulletin with these attributes in its own element, and no element without any. */
export function withOwnAttributes(bulletin: Bulletin, attributes: JsonObject): Bulletin {
  const isEmpty = Object.keys(attributes).length === 0;
  return withOwnMember(bulletin, OWN_ATTRIBUTES, isEmpty ? null : JSON.stringify(attributes));
}

/** The row's own: a bulletin does not say them again after the event has come in. */
export const ROWS_OWN: readonly string[] = ["source_id", "extra", "source_events"];

/** The bulletin without what its own element says of the row alone, which has it. */
export function withoutRowsOwn(bulletin: Bulletin): Bulletin {
  const entries = Object.entries(ownAttributesOf(bulletin));
  const said = entries.filter(([name]) => !ROWS_OWN.includes(name));
  if (said.length === entries.length) return bulletin;
  return withOwnAttributes(bulletin, Object.fromEntries(said));
}

/** The id of the comment that a version of the catalogue adds to an event. */
export function commentId(eventId: string, version: number): string {
  return `${COMMENT_PATH}${compactEventId(eventId)}/${version}`;
}

/** Whether somebody made a comment here. */
export function isMadeComment({ id = "" }: { readonly id?: string }): boolean {
  return id.startsWith(COMMENT_PATH);
}

/** Whether an edit made a solution. */
export function isMadeByEdit(solution: WithForeign): boolean {
  return ownMember(solution, MADE_FROM) !== undefined;
}

/** The public id of the solution that an edit changed; undefined where there was none. */
export function madeFromOf(solution: WithForeign): string | undefined {
  return ownMember(solution, MADE_FROM)?.text;
}

/** What marks a solution as made by an edit of the one with this id. */
export function madeFrom(publicID: string | undefined): Foreign {
  const member = { ns: OWN_NAMESPACE, name: MADE_FROM };
  return publicID === undefined ? member : { ...member, text: publicID };
}

/** The object with the id that it was given, which another has too, as an attribute of our own. */
export function withGivenId<T extends WithForeign>(object: T, publicID: string): T {
  if (ownMember(object, OWN_GIVEN_ID) !== undefined) return object;
  const given: Foreign = { ns: OWN_NAMESPACE, name: OWN_GIVEN_ID, attribute: true, text: publicID };
  return { ...object, foreign: [...(object.foreign ?? []), given] };
}

/** The object with the id that a reference of it was given, as an attribute on the reference. */
export function withGivenReference<T extends WithForeign>(object: T, at: string, id: string): T {
  const given: Foreign = { ns: OWN_NAMESPACE, name: OWN_GIVEN_ID, attribute: true, at, text: id };
  return { ...object, foreign: [...(object.foreign ?? []), given] };
}

function ownMember({ foreign = [] }: WithForeign, name: string): Foreign | undefined {
  return foreign.find(
    (member) => member.ns === OWN_NAMESPACE && member.name === name && member.at === undefined,
  );
}

function withOwnMember<T extends WithForeign>(object: T, name: string, text: string | null): T {
  const { foreign = [], ...others } = object;
  const rest = foreign.filter((member) => member.ns !== OWN_NAMESPACE || member.name !== name);
  const members = text === null ? rest : [...rest, { ns: OWN_NAMESPACE, name, text }];
  return (members.length === 0 ? others : { ...others, foreign: members }) as T;
}
