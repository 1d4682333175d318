import { ownAttributesOf, withOwnAttributes } from "#contracts/bulletin/own-members.ts";
import type { Bulletin, Kind, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { pathNames, withMember } from "#contracts/bulletin/row.ts";
import { Refusal } from "#contracts/errors.ts";
import { ATTRIBUTE_NAMES, type AttributeName } from "#contracts/seismic-event/attributes.ts";
import type {
  JsonObject,
  JsonValue,
  SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { listOf, sameJson } from "./solutions.ts";

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
export function withoutUnsaid(bulletin: Bulletin, names: Iterable<ViewedName>): Bulletin {
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
