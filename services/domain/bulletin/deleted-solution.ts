import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { type Field, type Kind, QUAKEML_TYPES } from "#contracts/bulletin/quakeml-types.ts";
import { withMember } from "#contracts/bulletin/row-paths.ts";
import { Refusal } from "#contracts/errors.ts";
import { type BulletinView, withoutUnsaid } from "./bulletin-view.ts";
import { PREFERABLE } from "./preferred-solutions.ts";
import { type Reference, rewritten } from "./references.ts";
import { type Identified, listOf, TOP_LISTS, withList } from "./solutions.ts";

/** The kinds of solutions that can be deleted. */
export type SolutionKind = "origin" | "magnitude" | "focalMechanism";

export type DeletedSolution = { readonly kind: Kind; readonly publicID: string };

export type Deletion = {
  readonly bulletin: Bulletin;
  /** The solution and what went with it, without the objects inside others. */
  readonly deleted: readonly DeletedSolution[];
};

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
): Deletion {
  const solutions = listOf(bulletin, kind);
  const target = solutions.find((solution) => solution.publicID === publicID);
  if (target === undefined) throw new Refusal("NOT_FOUND", `The event has no such ${kind}`);
  if (kind === "origin" && solutions.length === 1) {
    throw new Refusal("CONFLICT", "The only origin of an event cannot be deleted");
  }
  if (!cascade && isPreferred(bulletin, kind, target, view)) {
    throw new Refusal("CONFLICT", `The ${kind} is preferred`);
  }
  const deleted: DeletedSolution[] = [{ kind, publicID }];
  const others = solutions.filter((solution) => solution !== target);
  let result = withList(bulletin, kind, others);
  for (let next = 0; next < deleted.length; next += 1) {
    const gone = deleted[next];
    if (gone === undefined || listOf(result, gone.kind).some((o) => o.publicID === gone.publicID)) {
      continue;
    }
    const referring = withoutReferences(result, gone);
    if (!cascade && referring !== result)
      throw new Refusal("CONFLICT", `The ${kind} is referred to`);
    deleted.push(...whatWent(result, referring));
    result = referring;
  }
  return { bulletin: withoutPreferred(result, deleted), deleted };
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

function whatWent(before: Bulletin, after: Bulletin): DeletedSolution[] {
  return TOP_LISTS.flatMap(([kind]) => {
    const left = new Set(listOf(after, kind).map(({ publicID }) => publicID));
    return listOf(before, kind)
      .filter(({ publicID }) => !left.has(publicID))
      .map(({ publicID }) => ({ kind, publicID }));
  });
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
