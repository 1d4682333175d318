import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Field, Kind } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES } from "#contracts/bulletin/quakeml-types.ts";
import { withMember } from "#contracts/bulletin/row-paths.ts";
import { Refusal } from "#contracts/errors.ts";
import { type BulletinView, withoutUnsaid } from "./bulletin-view.ts";
import { PREFERABLE } from "./preferred-solutions.ts";
import { type Reference, rewritten } from "./references.ts";
import { type Identified, listOf, TOP_LISTS, withList } from "./solutions.ts";

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
