import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import { withGivenId, withGivenReference } from "#contracts/bulletin/own-members.ts";
import type { TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import { referencesLead, rewritten } from "../references.ts";
import { sameJson } from "../same-json.ts";
import { type Identified, listOf, nestedLists, solutionsIn, TOP_LISTS } from "../solutions.ts";

/** What does not stand in every id. */
const UNSAFE = /[^\w.-]/g;

/** The id of the union for a reference of a member; null where it leads nowhere there, but here. */
type Meaning = (to: Kind, id: string) => string | null;

/**
 * An object of a member with references to what they mean in the union. One that leads nowhere and whose
 * id another member has gets an id that nothing has, and keeps the given one beside it.
 */
function withMeaning(type: TypeName, object: Identified, meaning: Meaning): Identified {
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
export type UnionMember = { readonly bulletin: Bulletin; readonly pseudonym: string };

/** The objects of several bulletins, equal ones once, each with the `member`s that have it. */
export type UnitedObjects = {
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
export function unitedObjects(members: readonly UnionMember[]): UnitedObjects {
  const defined = idsIn(members);
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

function idsIn(members: readonly UnionMember[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { bulletin } of members) {
    for (const { kind, object } of solutionsIn(bulletin)) ids.add(keyOf(kind, object.publicID));
  }
  return ids;
}

function keyOf(kind: Kind, publicID: string): string {
  return `${kind} ${publicID}`;
}
