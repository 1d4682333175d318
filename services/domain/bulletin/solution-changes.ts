import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import type { TypeName } from "#contracts/bulletin/quakeml-types.ts";
import type { SolutionChange, SolutionChanges } from "#contracts/bulletin/solution-change.ts";
import { sameJson } from "./same-json.ts";
import { type Identified, nestedLists, solutionsIn, TOP_LISTS } from "./solutions.ts";

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
