import { OWN_NAMESPACE, withGivenId, withGivenReference } from "#contracts/bulletin/own-members.ts";
import type {
  Bulletin,
  Foreign,
  Kind,
  QuakemlObject,
  TypeName,
} from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow, withMember } from "#contracts/bulletin/row.ts";
import { EVENT_ID_PATH, OWN_AUTHORITY } from "#contracts/seismic-event/ids.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { GivenGroup, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  type BulletinView,
  type Identified,
  listOf,
  nestedLists,
  PREFERABLE,
  referencesLead,
  rewritten,
  sameJson,
  shownBy,
  solutionsIn,
  TOP_LISTS,
  type ViewedName,
  withList,
  withUnsaid,
} from "./view.ts";

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

/**
 * Prefers what the members prefer from which the row has its origin, magnitude and mechanisms, and by
 * name what they show, where the union would show something else.
 */
function withPreferredOf(
  bulletin: Bulletin,
  {
    members,
    sources,
    united,
  }: {
    readonly members: readonly BulletinMember[];
    readonly sources: readonly UnionMember[];
    readonly united: UnitedObjects;
  },
  { record, chosen, givers }: MergedRow,
  view: BulletinView,
): Bulletin {
  const shown = shownBy(view);
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

/** What does not stand in every id. */
const UNSAFE = /[^\w.-]/g;

/**
 * An object of a member with references to what they mean in the union. One that leads nowhere and whose
 * id another member has gets an id that nothing has, and keeps the given one beside it.
 * @param meaning the id of the union for a reference; null where it leads nowhere in the member, but here
 */
function withMeaning(
  type: TypeName,
  object: Identified,
  meaning: (to: Kind, id: string) => string | null,
): Identified {
  const result = rewritten(type, object, (holder, { member, to, id }) => {
    const present = meaning(to, id);
    if (present === id) return holder;
    if (present !== null) return { ...holder, [member]: present };
    const nothing = `${OWN_AUTHORITY}${to}/none/${id.replaceAll(UNSAFE, "-")}`;
    return withGivenReference({ ...holder, [member]: nothing }, member, id);
  });
  return result ?? object;
}

/** A bulletin of a union, and what stands for its event in ids of the service. */
type UnionMember = { readonly bulletin: Bulletin; readonly pseudonym: string };

/** The objects of several bulletins, equal ones once, each with the `member`s that have it. */
type UnitedObjects = {
  readonly lists: ReadonlyMap<Kind, readonly Identified[]>;
  /** The id under which the union has what an id means in a member. */
  readonly idOf: (member: number, kind: Kind, publicID: string) => string | undefined;
};

/** An object of the union; `given` is as members have it, but for references. */
type United = { readonly given: Identified; readonly publicID: string; readonly members: number[] };

/** Kinds in an order in which references lead to earlier ones: what they mean is known then. */
const IN_ORDER = inOrderOfReference();

function inOrderOfReference(): (typeof TOP_LISTS)[number][] {
  const ordered: (typeof TOP_LISTS)[number][] = [];
  while (ordered.length < TOP_LISTS.length) {
    const left = TOP_LISTS.filter((list) => !ordered.includes(list));
    const next = left.filter(([, type]) => !left.some(([kind]) => referencesLead(type, kind)));
    if (next.length === 0) throw new RangeError("references of kinds are in a circle");
    ordered.push(...next);
  }
  return ordered;
}

/**
 * Unites the objects of bulletins in their order. Objects of one kind and id that are equal, and whose
 * references mean the same, are one. An id that stands for something else already is replaced by one of
 * the service, and its member's references follow: no reference changes its meaning, and one that leads
 * nowhere goes on to do so.
 */
function unitedObjects(members: readonly UnionMember[]): UnitedObjects {
  const solutions = members.flatMap(({ bulletin }) => [...solutionsIn(bulletin)]);
  const defined = new Set(solutions.map(({ kind, object }) => keyOf(kind, object.publicID)));
  const names = members.map(() => new Map<string, string>());
  const withNestedNames = createNestedNames(defined);
  const lists = new Map<Kind, Identified[]>();
  for (const [kind, type] of IN_ORDER) {
    const united = createUnitedList(kind, defined);
    for (const [i, member] of members.entries()) {
      const meaning = (to: Kind, id: string) =>
        names[i]?.get(keyOf(to, id)) ?? (defined.has(keyOf(to, id)) ? null : id);
      for (const [place, { member: _, ...object }] of listOf(member.bulletin, kind).entries()) {
        const given = withMeaning(type, object as Identified, meaning);
        const key = keyOf(kind, given.publicID);
        const isFirst = !names[i]?.has(key);
        const { publicID } = united.add(given, i, isFirst, `${member.pseudonym}/${place + 1}`);
        if (isFirst) names[i]?.set(key, publicID);
      }
    }
    lists.set(
      kind,
      united.objects().map((one) => withNestedNames(type, one, members)),
    );
  }
  return { lists, idOf: (member, kind, publicID) => names[member]?.get(keyOf(kind, publicID)) };
}

function createUnitedList(kind: Kind, defined: ReadonlySet<string>) {
  const all: United[] = [];
  const byId = new Map<string, United[]>();

  return {
    objects: (): readonly United[] => all,
    /** @param isFirst whether references of its member mean it */
    add(given: Identified, member: number, isFirst: boolean, place: string): United {
      const { publicID: id } = given;
      const namesakes = byId.get(id) ?? [];
      byId.set(id, namesakes);
      const equal = namesakes.find(
        (one) =>
          !one.members.includes(member) &&
          (!isFirst || namesakes.find(({ publicID }) => publicID === one.publicID) === one) &&
          sameJson(one.given, given),
      );
      if (equal !== undefined) {
        equal.members.push(member);
        return equal;
      }
      const isTaken = namesakes.some(({ members: [first] }) => first !== member);
      const publicID = isTaken ? freeId(kind, place, defined) : id;
      const added: United = { given, publicID, members: [member] };
      namesakes.push(added);
      all.push(added);
      return added;
    },
  };
}

/** Gives an object its id and its members; ids inside it that another member's have are replaced. */
function createNestedNames(defined: ReadonlySet<string>) {
  const takenBy = new Map<string, number>();
  return (type: TypeName, one: United, members: readonly UnionMember[]): Identified => {
    const { given, publicID, members: has } = one;
    const [first = 0] = has;
    const pseudonym = members[first]?.pseudonym ?? "";
    let result = publicID === given.publicID ? given : renamed(given, publicID);
    for (const [kind] of nestedLists(type)) {
      const list = result[kind] as readonly Identified[] | undefined;
      if (list === undefined) continue;
      const inside = list.map((object, i) => {
        const key = keyOf(kind, object.publicID);
        const owner = takenBy.get(key) ?? first;
        takenBy.set(key, owner);
        if (owner === first) return object;
        const place = `${pseudonym}/${takenBy.size}.${i + 1}`;
        return renamed(object, freeId(kind, place, defined));
      });
      result = { ...result, [kind]: inside };
    }
    return { ...result, member: has };
  };
}

function renamed(object: Identified, publicID: string): Identified {
  return { ...withGivenId(object, object.publicID), publicID };
}

/** An id of the service that no member has. */
function freeId(kind: Kind, place: string, defined: ReadonlySet<string>): string {
  let id = `${OWN_AUTHORITY}${kind}/merged/${place}`;
  while (defined.has(keyOf(kind, id))) id += "+";
  return id;
}

function keyOf(kind: Kind, publicID: string): string {
  return `${kind} ${publicID}`;
}
