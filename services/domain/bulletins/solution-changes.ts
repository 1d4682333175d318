/** In which solutions two bulletins differ, and a bulletin without one of them. */

import {
  type Bulletin,
  type Field,
  type Kind,
  QUAKEML_TYPES,
} from "#contracts/bulletin/quakeml.ts";
import { withMember } from "#contracts/bulletin/row.ts";
import type { SolutionChange, SolutionChanges } from "#contracts/bulletin/schema.ts";
import { Refusal } from "#contracts/errors.ts";
import {
  type BulletinView,
  type Identified,
  listOf,
  nestedLists,
  PREFERABLE,
  rewritten,
  sameJson,
  shownBy,
  solutionsIn,
  TOP_LISTS,
  withList,
  withoutUnsaid,
} from "./view.ts";

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
