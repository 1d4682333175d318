/** In which solutions two bulletins differ, and a bulletin without one of them. */

import {
  type Bulletin,
  type Field,
  type Kind,
  QUAKEML_TYPES,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";
import { withMember } from "#contracts/bulletin/row.ts";
import type { SolutionChange, SolutionChanges } from "#contracts/bulletin/schema.ts";
import { Refusal } from "#contracts/errors.ts";
import {
  type Identified,
  listOf,
  nestedLists,
  type Reference,
  rewritten,
  sameJson,
  solutionsIn,
  TOP_LISTS,
  withList,
} from "./solutions.ts";
import { type BulletinView, PREFERABLE, withoutUnsaid } from "./view.ts";

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
  if (before !== null && after !== null) yield* eventChange(before, after);
  const left = objectsByKey(before);
  for (const { kind, type, object } of after === null ? [] : solutionsIn(after)) {
    const { publicID } = object;
    const former = left.get(keyOf(kind, publicID))?.shift();
    if (former === undefined) yield { kind, publicID, change: "added" };
    else yield* updated(kind, publicID, former, object, insideOf(type));
  }
  for (const [key, objects] of left) {
    const kind = key.slice(0, key.indexOf(" ")) as Kind;
    for (const { publicID } of objects) yield { kind, publicID, change: "removed" };
  }
}

const EVENT_LISTS = new Set<string>(TOP_LISTS.map(([kind]) => kind));

function eventChange(before: Bulletin, after: Bulletin): Generator<SolutionChange> {
  return updated("event", after.publicID, before, after, EVENT_LISTS);
}

function insideOf(type: TypeName): ReadonlySet<string> {
  return new Set(nestedLists(type).map(([kind]) => kind));
}

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

/** Objects that share kind and id are paired in their order. */
function objectsByKey(bulletin: Bulletin | null): Map<string, Identified[]> {
  const byKey = new Map<string, Identified[]>();
  for (const { kind, object } of bulletin === null ? [] : solutionsIn(bulletin)) {
    const key = keyOf(kind, object.publicID);
    const objects = byKey.get(key);
    if (objects === undefined) byKey.set(key, [object]);
    else objects.push(object);
  }
  return byKey;
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
    const left = countsById(listOf(after, kind));
    return listOf(before, kind).flatMap(({ publicID }) => {
      const count = left.get(publicID) ?? 0;
      left.set(publicID, count - 1);
      return count > 0 ? [] : [{ kind, publicID }];
    });
  });
}

function countsById(objects: readonly Identified[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { publicID } of objects) counts.set(publicID, (counts.get(publicID) ?? 0) + 1);
  return counts;
}

function isPreferred(
  bulletin: Bulletin,
  kind: SolutionKind,
  target: Identified,
  view: BulletinView,
): boolean {
  const preferable = PREFERABLE.find((one) => one.kind === kind);
  if (preferable && bulletin[preferable.member] === target.publicID) return true;
  const shown = { origin: view.origin, magnitude: view.magnitude, focalMechanism: firstMechanism };
  return (shown[kind](bulletin) as unknown) === target;
}

function firstMechanism({ focalMechanism, preferredFocalMechanismID: id }: Bulletin) {
  return focalMechanism?.find(({ publicID }) => publicID === id) ?? focalMechanism?.[0];
}

/** The same bulletin where nothing refers to what is gone. */
function withoutReferences(bulletin: Bulletin, gone: DeletedSolution): Bulletin {
  let result = bulletin;
  for (const [kind, type] of TOP_LISTS) {
    const list = listOf(result, kind);
    const left = list.map((object) =>
      rewritten(type, object, (holder, reference, of) => {
        if (reference.to !== gone.kind || reference.id !== gone.publicID) return holder;
        return isNothingWithout(QUAKEML_TYPES[of], reference)
          ? undefined
          : withMember(holder, reference.member, null);
      }),
    );
    if (left.some((object, i) => object !== list[i])) {
      result = withList(
        result,
        kind,
        left.filter((object) => object !== undefined),
      );
    }
  }
  return result;
}

/** A magnitude is one of an origin, though QuakeML does not require that it says so. */
function isNothingWithout(fields: Readonly<Record<string, Field>>, { member }: Reference): boolean {
  return fields[member]?.required === true || member === "originID";
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
