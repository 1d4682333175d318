import type { Bulletin, Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { bulletinOfRow } from "#contracts/bulletin/bulletin-of-row.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import { OWN_NAMESPACE } from "#contracts/bulletin/own-members.ts";
import { withMember } from "#contracts/bulletin/row-paths.ts";
import { EVENT_ID_PATH, OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import { idsOf } from "#contracts/seismic-event/public-id.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type BulletinView, type ViewedName, withUnsaid } from "../bulletin-view.ts";
import { PREFERABLE } from "../preferred-solutions.ts";
import { sameJson } from "../same-json.ts";
import { type Identified, listOf, withList } from "../solutions.ts";
import { type UnionMember, type UnitedObjects, unitedObjects } from "./united-objects.ts";

/** A member of a merged event: its bulletin, if it has one, and its row. */
export type BulletinMember = {
  readonly bulletin: Bulletin | null;
  readonly record: SeismicEventRecord;
  readonly eventId: string;
  /** Stands for `eventId`, which who reads the merged catalogue alone is not told; 32 digits. */
  readonly pseudonym: string;
};

/** A merged event's row, and how it came from its members. */
export type MergedRow = {
  readonly record: SeismicEventRecord;
  /** Index of the chosen member. */
  readonly chosen: number;
  /** Whether the origin is computed from the members' and is none of theirs. */
  readonly ownOrigin: boolean;
  /** Ids of the members whose solutions it shows, where each was chosen by itself. */
  readonly givers?: { readonly [G in GivenGroup]: string | null } | undefined;
  /** For ids of the service. */
  readonly pseudonym: string;
};

/** The method of origins that are means of their members'. */
const AVERAGE_METHOD = `${OWN_AUTHORITY}merge/average`;

/**
 * The bulletin of a merged event: all that its members' bulletins have, for one without what its row
 * says. The merged row is its view. Null where no member has one.
 * @param members in the order of `source_events`
 */
export function unitedBulletin(
  members: readonly BulletinMember[],
  row: MergedRow,
  view: BulletinView,
): Bulletin | null {
  if (members.every(({ bulletin }) => bulletin === null)) return null;
  const sources = members.map(unionMember);
  const united = unitedObjects(sources);
  const chosen = sources[row.chosen]?.bulletin;
  if (chosen === undefined) throw new RangeError(`no member ${row.chosen}`);
  let result = eventOf(chosen, sources, members[row.chosen]?.record, row);
  for (const [kind, objects] of united.lists) result = withList(result, kind, objects);
  result = withPreferredOf(result, { members, sources, united }, row, view);
  if (row.ownOrigin) result = withOwnOrigin(result, row);
  return withUnsaid(result, row.record, view);
}

/** What a member says; no id of the service names its event. */
function unionMember({ bulletin, record, eventId, pseudonym }: BulletinMember): UnionMember {
  const given = bulletin ?? bulletinOfRow({ ...record, id: pseudonym });
  const text = JSON.stringify(given);
  const compact = eventId.replaceAll("-", "");
  const isNamed = text.includes(compact) || text.includes(eventId);
  if (!isNamed) return { bulletin: given, pseudonym };
  const other = text.replaceAll(compact, pseudonym).replaceAll(eventId, pseudonym);
  return { bulletin: JSON.parse(other) as Bulletin, pseudonym };
}

/** The event's own members: the chosen one's, then descriptions and comments of the others. */
function eventOf(
  chosen: Bulletin,
  sources: readonly UnionMember[],
  chosenRecord: SeismicEventRecord | undefined,
  { record, pseudonym }: MergedRow,
): Bulletin {
  const { publicID, typeCertainty, creationInfo } = chosen;
  const others = sources.map(({ bulletin }) => bulletin).filter((one) => one !== chosen);
  const description = united(
    chosen.description,
    others.map((one) => one.description),
  );
  const comment = united(
    chosen.comment,
    others.map((one) => one.comment),
  );
  const foreign = unitedForeign(
    chosen.foreign,
    others.map((one) => one.foreign),
  );
  const event: Bulletin = {
    publicID,
    ...(description.length > 0 && { description }),
    ...(comment.length > 0 && { comment }),
    ...(record.event_type !== null && { type: record.event_type }),
    ...(typeCertainty !== undefined && { typeCertainty }),
    ...(creationInfo !== undefined && { creationInfo }),
    ...(foreign.length > 0 && { foreign }),
  };
  // Another event of the merged catalogue has the public id; the row keeps it in `extra`.
  const isLost = idsOf(record).publicId !== (chosenRecord && idsOf(chosenRecord).publicId);
  return isLost ? { ...event, publicID: EVENT_ID_PATH + pseudonym } : event;
}

/** Each value as often as the list that has it most often; those of `first` in their order before. */
function united<T>(first: readonly T[] = [], others: readonly (readonly T[] | undefined)[]): T[] {
  const all = [...first];
  for (const list of others) {
    const left = [...all];
    for (const value of list ?? []) {
      const place = left.findIndex((other) => sameJson(other, value));
      if (place < 0) all.push(value);
      else left.splice(place, 1);
    }
  }
  return all;
}

/** Of attributes of one name the first; what the service says of other members' rows is theirs. */
function unitedForeign(
  first: readonly Foreign[] = [],
  others: readonly (readonly Foreign[] | undefined)[],
): Foreign[] {
  const isAttribute =
    ({ ns, name, at }: Foreign) =>
    (other: Foreign) =>
      other.attribute && other.ns === ns && other.name === name && other.at === at;
  const all = united(
    first,
    others.map((list) => list?.filter(({ ns }) => ns !== OWN_NAMESPACE)),
  );
  return all.filter((one, i) => !one.attribute || all.findIndex(isAttribute(one)) === i);
}

type Union = {
  readonly members: readonly BulletinMember[];
  readonly sources: readonly UnionMember[];
  readonly united: UnitedObjects;
};

/**
 * Prefers what the members prefer from which the row has its origin, magnitude and mechanisms, and by
 * name what they show, where the union would show something else.
 */
function withPreferredOf(
  bulletin: Bulletin,
  { members, sources, united }: Union,
  { record, chosen, givers }: MergedRow,
  view: BulletinView,
): Bulletin {
  const shown = { origin: view.origin, magnitude: view.magnitude, focalMechanism: firstMechanism };
  return PREFERABLE.reduce((result, { kind, member, names }) => {
    const giver = givers?.[GROUP_OF[kind as keyof typeof GROUP_OF]] ?? null;
    const from =
      giver === null
        ? memberWith(members, record, chosen, names)
        : members.findIndex(({ eventId }) => eventId === giver);
    const source = sources[from]?.bulletin;
    if (source === undefined) return result;
    const given = source[member];
    const isThere = listOf(result, kind).some(({ publicID }) => publicID === given);
    const named = given && (united.idOf(from, kind, given) ?? (isThere ? undefined : given));
    const preferring = withMember(result, member, named ?? null);
    const showOf = shown[kind as keyof typeof shown];
    const solution = showOf(source);
    const id = solution && united.idOf(from, kind, solution.publicID);
    return id === undefined || showOf(preferring)?.publicID === id
      ? preferring
      : withMember(preferring, member, id);
  }, bulletin);
}

/** What of a row the solutions of a kind give. */
const GROUP_OF = {
  origin: "location",
  magnitude: "magnitude",
  focalMechanism: "mechanism",
} as const satisfies Partial<Record<Kind, GivenGroup>>;

function firstMechanism({ focalMechanism, preferredFocalMechanismID: id }: Bulletin) {
  return focalMechanism?.find(({ publicID }) => publicID === id) ?? focalMechanism?.[0];
}

/** The member that has these attributes of the row: the chosen one, if it does. */
function memberWith(
  members: readonly BulletinMember[],
  row: SeismicEventRecord,
  chosen: number,
  names: readonly ViewedName[],
): number {
  const has = (one: BulletinMember | undefined) =>
    one !== undefined && names.every((name) => sameJson(one.record[name], row[name]));
  if (has(members[chosen])) return chosen;
  const other = members.findIndex(has);
  return other < 0 ? chosen : other;
}

function withOwnOrigin(bulletin: Bulletin, { record, pseudonym }: MergedRow): Bulletin {
  const [origin] = bulletinOfRow({ ...record, extra: null, id: pseudonym }).origin ?? [];
  if (origin === undefined) return bulletin;
  const own: QuakemlObject<"Origin"> = { ...origin, methodID: AVERAGE_METHOD };
  const origins = [...listOf(bulletin, "origin"), own as unknown as Identified];
  return { ...withList(bulletin, "origin", origins), preferredOriginID: own.publicID };
}
