import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import { pathNames, withMember } from "#contracts/bulletin/row-paths.ts";
import { Refusal } from "#contracts/errors.ts";
import { type ViewedName, withoutUnsaid } from "./bulletin-view.ts";
import { listOf } from "./solutions.ts";

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

export const PREFERABLE: readonly Preferable[] = [
  {
    kind: "origin",
    of: "originID",
    member: "preferredOriginID",
    names: [...pathNames("origin"), "horizontal_uncertainty"],
  },
  {
    kind: "magnitude",
    of: "magnitudeID",
    member: "preferredMagnitudeID",
    names: pathNames("magnitude"),
  },
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
