import fc from "fast-check";
import { expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createBulletinView } from "#services/changes/bulletin-view.ts";
import {
  type BulletinMember,
  type MergedRow,
  unitedBulletin,
} from "#services/domain/bulletins/union.ts";
import {
  type Identified,
  indexOf,
  listOf,
  rewritten,
  TOP_LISTS,
  VIEWED_NAMES,
  type ViewedRow,
} from "#services/domain/bulletins/view.ts";
import { anyBulletin } from "../../support/bulletins/likely-bulletin.ts";
import { runs } from "../../support/runs.ts";

const numRuns = runs(100);
const EC = "urn:earthquake-catalogue:1.0";
const view = createBulletinView(Date.UTC(2026, 0, 1));

const located = anyBulletin.filter((bulletin) => view.row(bulletin) !== null);

function recordOf(bulletin: Bulletin): SeismicEventRecord {
  return { ...view.row(bulletin), extra: null, source_events: null } as SeismicEventRecord;
}

function memberOf(bulletin: Bulletin, place: number): BulletinMember {
  const digits = `${place}`.repeat(32);
  const eventId = `0a1b2c3d-4e5f-8a6b-8000-00010000000${place}`;
  return { bulletin, record: recordOf(bulletin), eventId, pseudonym: digits };
}

function merged(members: readonly BulletinMember[], chosen: number): MergedRow {
  const record = members[chosen]?.record;
  if (record === undefined) throw new RangeError("no such member");
  return { record, chosen, ownOrigin: false, pseudonym: "f".repeat(32) };
}

function union(members: readonly BulletinMember[], row: MergedRow): Bulletin {
  const result = unitedBulletin(members, row, view);
  if (result === null) throw new Error("no bulletin");
  return result;
}

type Json = Readonly<Record<string, unknown>>;

/** What an object says: with what its references lead to in their place, and ids as they were given. */
function expanded(
  bulletin: Bulletin,
  type: (typeof TOP_LISTS)[number][1],
  object: object,
): unknown {
  const index = indexOf(bulletin);
  const told = rewritten(type, object, (holder, { member, to, id }) => {
    const given = foreignOf(holder).find((one) => one["at"] === member)?.["text"] ?? id;
    const found = index.get(to, id);
    const inner = TOP_LISTS.find(([kind]) => kind === to)?.[1];
    const meaning = found && inner ? expanded(bulletin, inner, found) : { nothing: given };
    return { ...holder, [member]: JSON.stringify(meaning) };
  });
  return canonical(told);
}

function foreignOf(object: Json): readonly Json[] {
  return (object["foreign"] ?? []) as readonly Json[];
}

/** Without what a union adds: members, and ids of the service. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const object = value as Json;
  const isGiven = (one: Json) => one["ns"] === EC && one["name"] === "givenID";
  const given = foreignOf(object).find((one) => isGiven(one) && one["at"] === undefined)?.["text"];
  const foreign = foreignOf(object).filter((one) => !isGiven(one));
  return Object.fromEntries(
    Object.entries({ ...object, foreign })
      .filter(
        ([name, item]) => name !== "member" && (name !== "foreign" || foreign.length > 0 || !item),
      )
      .map(([name, item]) => [name, name === "publicID" ? (given ?? item) : canonical(item)])
      .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
  );
}

function said(bulletin: Bulletin, isOf: (object: Identified) => boolean): string[] {
  return TOP_LISTS.flatMap(([kind, type]) =>
    listOf(bulletin, kind)
      .filter(isOf)
      .map((object) => `${kind} ${JSON.stringify(expanded(bulletin, type, object))}`),
  ).sort();
}

function viewed(row: ViewedRow | null): Record<string, unknown> {
  return Object.fromEntries(VIEWED_NAMES.map((name) => [name, row?.[name]]));
}

const anyMembers = fc
  .array(located, { minLength: 1, maxLength: 3 })
  .map((bulletins) => bulletins.map(memberOf));

test("each member's objects are in the union, and what they refer to is what it was", () => {
  fc.assert(
    fc.property(anyMembers, fc.nat(), (members, n) => {
      const result = union(members, merged(members, n % members.length));
      for (const [i, { bulletin }] of members.entries()) {
        const ofMember = ({ member }: Identified) => (member as number[]).includes(i);
        if (bulletin === null) throw new Error("no bulletin");
        expect(said(result, ofMember)).toEqual(said(bulletin, () => true));
      }
    }),
    { numRuns },
  );
});

test("the merged row is the union's view, and the union is valid", () => {
  fc.assert(
    fc.property(anyMembers, fc.nat(), (members, n) => {
      const row = merged(members, n % members.length);
      const result = union(members, row);
      expect(viewed(view.row(result))).toEqual(viewed(row.record));
      expect(BulletinBody.safeParse(result).error).toBeUndefined();
    }),
    { numRuns },
  );
});

test("a bulletin with its copy is the bulletin, each object of both", () => {
  fc.assert(
    fc.property(located, (bulletin) => {
      const members = [memberOf(bulletin, 0), memberOf(bulletin, 1)];
      const result = union(members, merged(members, 1));
      for (const [kind] of TOP_LISTS) {
        const withMembers = listOf(bulletin, kind).map((object) => ({ ...object, member: [0, 1] }));
        expect(listOf(result, kind)).toEqual(withMembers);
      }
      for (const name of ["comment", "description", "type", "creationInfo", "foreign"] as const) {
        expect(result[name]).toEqual(bulletin[name]);
      }
    }),
    { numRuns },
  );
});
