import { ownAttributesOf, withOwnAttributes } from "#contracts/bulletin/own-members.ts";
import {
  type Bulletin,
  type Field,
  type Foreign,
  type Kind,
  QUAKEML_TYPES,
  type QuakemlObject,
  referencePlanOf,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";
import { pathNames, withMember } from "#contracts/bulletin/row.ts";
import type { SolutionChange, SolutionChanges } from "#contracts/bulletin/schema.ts";
import { Refusal } from "#contracts/errors.ts";
import { ATTRIBUTE_NAMES, type AttributeName } from "#contracts/seismic-event/attributes.ts";
import type {
  JsonObject,
  JsonValue,
  SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";

/** What a bulletin says of its event's row: all but `extra` and a merge's provenance. */
export type ViewedRow = Omit<SeismicEventRecord, "extra" | "source_events">;

/** The rules by which a bulletin is shown as a row. */
export type BulletinView = {
  readonly origin: (bulletin: Bulletin) => QuakemlObject<"Origin"> | undefined;
  readonly magnitude: (bulletin: Bulletin) => QuakemlObject<"Magnitude"> | undefined;
  /** Null for a bulletin without an origin that has a time and a place. */
  readonly row: (bulletin: Bulletin) => ViewedRow | null;
};

type OwnName = "source_id";
export type ViewedName = Exclude<"time" | AttributeName | "focal_mechanisms", OwnName>;

/** The attributes that a bulletin decides; the id is the row's own once the event is there. */
export const VIEWED_NAMES: readonly ViewedName[] = [
  "time",
  ...ATTRIBUTE_NAMES.filter(
    (name): name is Exclude<AttributeName, OwnName> => name !== "source_id",
  ),
  "focal_mechanisms",
];

const VIEWED: ReadonlySet<string> = new Set(VIEWED_NAMES);

/** The attributes in which two rows differ. */
export function changedNames(before: ViewedRow, after: ViewedRow): ReadonlySet<ViewedName> {
  return new Set(VIEWED_NAMES.filter((name) => !sameJson(before[name], after[name])));
}

/**
 * The bulletin with what its solutions do not say of the row in the event's own element, so that the
 * row is its view.
 */
export function withUnsaid(bulletin: Bulletin, row: ViewedRow, view: BulletinView): Bulletin {
  const others = Object.entries(ownAttributesOf(bulletin)).filter(([name]) => !VIEWED.has(name));
  const kept: JsonObject = Object.fromEntries(others);
  if (Object.hasOwn(kept, "source_id")) kept["source_id"] = row.source_id;
  const said = view.row(withOwnAttributes(bulletin, kept));
  if (said === null) return bulletin;
  for (const name of changedNames(said, row)) kept[name] = row[name] as JsonValue;
  return withOwnAttributes(bulletin, kept);
}

/** The bulletin without what its own element says of these attributes. */
function withoutUnsaid(bulletin: Bulletin, names: Iterable<ViewedName>): Bulletin {
  const attributes = { ...ownAttributesOf(bulletin) };
  for (const name of names) delete attributes[name];
  return withOwnAttributes(bulletin, attributes);
}

/** What a bulletin shows of the kinds of which one is preferred. */
export function shownBy({ origin, magnitude }: BulletinView) {
  const focalMechanism = ({ focalMechanism: all, preferredFocalMechanismID: id }: Bulletin) =>
    all?.find(({ publicID }) => publicID === id) ?? all?.[0];
  return { origin, magnitude, focalMechanism };
}

/** The solutions to prefer; null leaves the choice to the rules, absent ones stay. */
export type PreferredChange = {
  readonly originID?: string | null | undefined;
  readonly magnitudeID?: string | null | undefined;
  readonly focalMechanismID?: string | null | undefined;
};

type Preferable = {
  readonly kind: Kind;
  readonly of: keyof PreferredChange;
  readonly member: "preferredOriginID" | "preferredMagnitudeID" | "preferredFocalMechanismID";
  /** What the row shows of it. */
  readonly names: readonly ViewedName[];
};

/** What of a row is of its origin, and of its magnitude. */
export const ORIGIN_NAMES = [...pathNames("origin"), "horizontal_uncertainty"] as const;
export const MAGNITUDE_NAMES = pathNames("magnitude");

export const PREFERABLE: readonly Preferable[] = [
  { kind: "origin", of: "originID", member: "preferredOriginID", names: ORIGIN_NAMES },
  { kind: "magnitude", of: "magnitudeID", member: "preferredMagnitudeID", names: MAGNITUDE_NAMES },
  {
    kind: "focalMechanism",
    of: "focalMechanismID",
    member: "preferredFocalMechanismID",
    names: ["focal_mechanisms"],
  },
];

/**
 * The bulletin with other preferred solutions. What was said of the row in spite of the former ones does
 * not hold for others.
 * @throws Refusal CONFLICT for an id that is not there
 */
export function withPreferred(bulletin: Bulletin, change: PreferredChange): Bulletin {
  let result = bulletin;
  for (const { kind, of, member, names } of PREFERABLE) {
    const id = change[of];
    if (id === undefined || id === (bulletin[member] ?? null)) continue;
    if (id !== null && !listOf(bulletin, kind).some(({ publicID }) => publicID === id)) {
      throw new Refusal("CONFLICT", `The event has no ${kind} with the id ${JSON.stringify(id)}`);
    }
    result = withoutUnsaid(withMember(result, member, id), names);
  }
  return result;
}

/** An object of a bulletin that has a public id, as far as all kinds have it. */
export type Identified = {
  readonly publicID: string;
  readonly foreign?: readonly Foreign[];
} & Readonly<Record<string, unknown>>;

type Solution = {
  readonly kind: Kind;
  readonly type: TypeName;
  readonly object: Identified;
};

/** Members of a type that are lists of objects with public ids: their names are the kinds. */
function listsOf(type: TypeName): readonly (readonly [kind: Kind, type: TypeName])[] {
  return Object.entries<Field>(QUAKEML_TYPES[type])
    .filter(
      ([, { type: of, many }]) =>
        many && of !== undefined && Object.hasOwn(QUAKEML_TYPES[of as TypeName], "publicID"),
    )
    .map(([name, { type: of }]) => [name as Kind, of as TypeName]);
}

/** The kinds that stand directly in an event, with their types. */
export const TOP_LISTS = listsOf("Event");

const NESTED_LISTS: ReadonlyMap<TypeName, ReturnType<typeof listsOf>> = new Map(
  TOP_LISTS.map(([, type]) => [type, listsOf(type)]),
);

/** The objects of one kind that stand directly in an event. */
export function listOf(bulletin: Bulletin, kind: Kind): readonly Identified[] {
  return ((bulletin as Readonly<Record<string, unknown>>)[kind] ?? []) as readonly Identified[];
}

/** The bulletin with other objects of a kind; without any it has no such member. */
export function withList(bulletin: Bulletin, kind: Kind, objects: readonly Identified[]): Bulletin {
  const { [kind]: _, ...rest } = bulletin as Readonly<Record<string, unknown>>;
  return (objects.length === 0 ? rest : { ...rest, [kind]: objects }) as Bulletin;
}

/** The kinds of objects with ids inside one of a type: arrivals of an origin, tensors of a mechanism. */
export function nestedLists(type: TypeName): ReturnType<typeof listsOf> {
  return NESTED_LISTS.get(type) ?? [];
}

/** Every object with a public id, those inside others after them. */
export function* solutionsIn(bulletin: Bulletin): Generator<Solution> {
  for (const [kind, type] of TOP_LISTS) {
    for (const object of listOf(bulletin, kind)) {
      yield { kind, type, object };
      for (const [nested, nestedType] of nestedLists(type)) {
        for (const inner of (object[nested] ?? []) as Identified[]) {
          yield { kind: nested, type: nestedType, object: inner };
        }
      }
    }
  }
}

/** What a reference means: the first object of a kind with the id. */
export function indexOf(bulletin: Bulletin) {
  const byKind = new Map<Kind, Map<string, Identified>>();
  for (const { kind, object } of solutionsIn(bulletin)) {
    const byId = byKind.get(kind) ?? new Map<string, Identified>();
    byKind.set(kind, byId);
    if (!byId.has(object.publicID)) byId.set(object.publicID, object);
  }
  return { get: (kind: Kind, publicID: string) => byKind.get(kind)?.get(publicID) };
}

type Json = Readonly<Record<string, unknown>>;

/** A reference of an object: the member that holds it, and the kind and id that it names. */
type Reference = { readonly member: string; readonly to: Kind; readonly id: string };

/** Whether objects of a type, or those inside them, refer to a kind. */
export function referencesLead(type: TypeName, to: Kind): boolean {
  const { references, parts } = referencePlanOf(type);
  return (
    references.some((one) => one.to === to) || parts.some((part) => referencesLead(part.type, to))
  );
}

/** Every reference of an object and of those inside it; none is followed. */
export function* referencesIn(type: TypeName, object: object): Generator<Reference> {
  const { references, referring } = referencePlanOf(type);
  for (const { member, to } of references) {
    const id = (object as Json)[member];
    if (typeof id === "string") yield { member, to, id };
  }
  for (const { member, type: inner } of referring) {
    const items = [(object as Json)[member] ?? []].flat() as object[];
    for (const item of items) yield* referencesIn(inner, item);
  }
}

/** What becomes of one object that holds a reference: itself, another one, or undefined for none. */
type Rewrite = (holder: Json, reference: Reference, type: TypeName) => Json | undefined;

/**
 * The object after `rewrite` of each reference in it, those inside first; the same object where
 * nothing changes. Lists lose what becomes undefined, and are left out when empty.
 */
export function rewritten<T extends object>(
  type: TypeName,
  object: T,
  rewrite: Rewrite,
): T | undefined {
  const { references, referring } = referencePlanOf(type);
  let result: Json = object as Json;
  for (const { member, type: inner } of referring) {
    const value = result[member];
    if (value === undefined) continue;
    const after = Array.isArray(value)
      ? rewrittenList(inner, value, rewrite)
      : rewritten(inner, value as object, rewrite);
    if (after === value) continue;
    const { [member]: _, ...rest } = result;
    result = after === undefined ? rest : { ...rest, [member]: after };
  }
  for (const { member, to } of references) {
    const id = result[member];
    if (typeof id !== "string") continue;
    const after = rewrite(result, { member, to, id }, type);
    if (after === undefined) return undefined;
    result = after;
  }
  return result as T;
}

function rewrittenList(type: TypeName, list: object[], rewrite: Rewrite): object[] | undefined {
  const items = list.map((item) => rewritten(type, item, rewrite));
  if (items.every((item, i) => item === list[i])) return list;
  const left = items.filter((item) => item !== undefined);
  return left.length === 0 ? undefined : left;
}

/** Whether two JSON values are equal, whatever the order of their members. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameJson(item, b[i]));
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  return names.every((name) => Object.hasOwn(b, name) && sameJson(left?.[name], right?.[name]));
}

/** In which solutions two bulletins differ, and a bulletin without one of them. */

/** Most changes that are told of one event. */
const MOST_CHANGES = 1000;

/**
 * The objects with public ids in which two bulletins differ, in the order of the later one, removed ones
 * last. Of an object the members inside which others with ids stand are compared by those. The event
 * stands for its own members: descriptions, comments, preferred ids. A null is a bulletin that is not
 * there.
 */
export function solutionChanges(before: Bulletin | null, after: Bulletin | null): SolutionChanges {
  const solutions: SolutionChange[] = [];
  for (const change of changesOf(before, after)) {
    if (solutions.length === MOST_CHANGES) return { solutions, solutionsTruncated: true };
    solutions.push(change);
  }
  return { solutions };
}

function* changesOf(before: Bulletin | null, after: Bulletin | null): Generator<SolutionChange> {
  if (before !== null && after !== null) {
    yield* updated("event", after.publicID, before, after, EVENT_LISTS);
  }
  // Objects that share kind and id are paired in their order.
  const left = Map.groupBy(before === null ? [] : solutionsIn(before), ({ kind, object }) =>
    keyOf(kind, object.publicID),
  );
  for (const { kind, type, object } of after === null ? [] : solutionsIn(after)) {
    const { publicID } = object;
    const former = left.get(keyOf(kind, publicID))?.shift()?.object;
    if (former === undefined) yield { kind, publicID, change: "added" };
    else {
      const inside = new Set<string>(nestedLists(type).map(([nested]) => nested));
      yield* updated(kind, publicID, former, object, inside);
    }
  }
  for (const { kind, object } of [...left.values()].flat()) {
    yield { kind, publicID: object.publicID, change: "removed" };
  }
}

const EVENT_LISTS = new Set<string>(TOP_LISTS.map(([kind]) => kind));

function* updated(
  kind: Kind | "event",
  publicID: string,
  before: object,
  after: object,
  inside: ReadonlySet<string>,
): Generator<SolutionChange> {
  const [left, right] = [before, after] as Readonly<Record<string, unknown>>[];
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !inside.has(name) && !sameJson(left?.[name], right?.[name]),
  );
  if (members.length > 0) yield { kind, publicID, change: "updated", members };
}

function keyOf(kind: Kind, publicID: string): string {
  return `${kind} ${publicID}`;
}

/** The kinds of solutions that can be deleted. */
export type SolutionKind = "origin" | "magnitude" | "focalMechanism";

export type DeletedSolution = { readonly kind: Kind; readonly publicID: string };

/**
 * The bulletin without a solution: an origin with its arrivals, a magnitude with its contributions.
 * With `cascade` what is nothing without it goes too: magnitudes and station magnitudes of an origin,
 * moment tensors derived from it. Other references to what went are taken out. Picks and amplitudes
 * stay.
 * @throws Refusal NOT_FOUND; CONFLICT while it is preferred or referred to, unless `cascade`, and for
 * the only origin
 */
export function withoutSolution(
  bulletin: Bulletin,
  { kind, publicID }: { readonly kind: SolutionKind; readonly publicID: string },
  cascade: boolean,
  view: BulletinView,
): Bulletin {
  const solutions = listOf(bulletin, kind);
  const target = solutions.find((solution) => solution.publicID === publicID);
  if (target === undefined) throw new Refusal("NOT_FOUND", `The event has no such ${kind}`);
  if (kind === "origin" && solutions.length === 1) {
    throw new Refusal("CONFLICT", "The only origin of an event cannot be deleted");
  }
  if (!cascade && isPreferred(bulletin, kind, target, view)) {
    throw new Refusal("CONFLICT", `The ${kind} is preferred`);
  }
  const others = solutions.filter((solution) => solution !== target);
  let result = withList(bulletin, kind, others);
  const gone: DeletedSolution[] = [{ kind, publicID }];
  for (const one of gone) {
    // Another object has the id, and is meant now.
    if (listOf(result, one.kind).some((other) => other.publicID === one.publicID)) continue;
    const left = withoutReferences(result, one);
    if (!cascade && left !== result) throw new Refusal("CONFLICT", `The ${kind} is referred to`);
    gone.push(...deletedBetween(result, left));
    result = left;
  }
  return withoutPreferred(result, gone);
}

/** The objects that one bulletin has and another has not, but for those inside others. */
export function deletedBetween(before: Bulletin, after: Bulletin): DeletedSolution[] {
  return TOP_LISTS.flatMap(([kind]) => {
    const left = Map.groupBy(listOf(after, kind), ({ publicID }) => publicID);
    return listOf(before, kind).flatMap(({ publicID }) =>
      left.get(publicID)?.pop() === undefined ? [{ kind, publicID }] : [],
    );
  });
}

function isPreferred(
  bulletin: Bulletin,
  kind: SolutionKind,
  target: Identified,
  view: BulletinView,
): boolean {
  const preferable = PREFERABLE.find((one) => one.kind === kind);
  if (preferable && bulletin[preferable.member] === target.publicID) return true;
  return (shownBy(view)[kind](bulletin) as unknown) === target;
}

/** The same bulletin where nothing refers to what is gone. */
function withoutReferences(bulletin: Bulletin, gone: DeletedSolution): Bulletin {
  let result = bulletin;
  for (const [kind, type] of TOP_LISTS) {
    const list = listOf(result, kind);
    const left = list.map((object) =>
      rewritten(type, object, (holder, reference, of) => {
        if (reference.to !== gone.kind || reference.id !== gone.publicID) return holder;
        const { member } = reference;
        const fields: Readonly<Record<string, Field>> = QUAKEML_TYPES[of];
        // A magnitude is one of an origin, though QuakeML does not require that it says so.
        const isNothingWithout = fields[member]?.required === true || member === "originID";
        return isNothingWithout ? undefined : withMember(holder, member, null);
      }),
    );
    if (left.every((object, i) => object === list[i])) continue;
    const staying = left.filter((object) => object !== undefined);
    result = withList(result, kind, staying);
  }
  return result;
}

/** What is gone is not preferred, and what was said of it no longer holds. */
function withoutPreferred(bulletin: Bulletin, deleted: readonly DeletedSolution[]): Bulletin {
  let result = bulletin;
  for (const { kind, member, names } of PREFERABLE) {
    const isGone = deleted.some((gone) => gone.kind === kind && gone.publicID === bulletin[member]);
    if (isGone) result = withoutUnsaid(withMember(result, member, null), names);
  }
  return result;
}
