import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { parseFdsnQuery } from "#contracts/fdsn/query.ts";
import { packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { shownSolutions } from "#infra/formats/bulletin/parts.ts";
import { FACADE_FIELD } from "#infra/formats/facade-row.ts";
import { readTextRow } from "#infra/postgres/copy/copied.ts";
import { countSelected, firstRows } from "#projections/read/clients.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { type ResolvedVersion, resolveVersion } from "#projections/read/versions.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { createdFrom, generatedRecords } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { runs } from "../../support/runs.ts";

const catalogues = useCatalogues();

type Size = { readonly type: string | null; readonly value: number | null };
/** An event's magnitudes, the preferred one first; without a bulletin just that. */
type Scene = { readonly sizes: readonly Size[]; readonly hasBulletin: boolean };

const TYPES = ["mb", "mB", "Mw", "ML", "Ms"];
const anySize = fc.record({
  type: fc.constantFrom(...TYPES),
  value: fc.integer({ min: 30, max: 70 }).map((tenths) => tenths / 10),
});
const anyScene: fc.Arbitrary<Scene> = fc.record({
  sizes: fc.array(anySize, { minLength: 1, maxLength: 4 }),
  hasBulletin: fc.boolean(),
});
const scenes = fc.sample(anyScene, { numRuns: 80, seed: 6 });
let version: ResolvedVersion;

function bulletinOf({ sizes }: Scene, i: number): Bulletin {
  const { magnitude: _, ...bulletin } = smallBulletin(`${i}`);
  const magnitude = sizes.map(({ type, value }, place) => ({
    publicID: `smi:a/${i}/${place}`,
    mag: { value: value ?? 0 },
    ...(type !== null && { type }),
  }));
  // The place of the preferred one tells nothing.
  const [first, ...others] = magnitude;
  return {
    ...bulletin,
    magnitude: [...others, ...(first === undefined ? [] : [first])],
    preferredMagnitudeID: `smi:a/${i}/0`,
  };
}

beforeAll(async () => {
  const records = generatedRecords(3, scenes.length).map((record, i) => ({
    ...record,
    source_id: `ev${i}`,
    magnitude: scenes[i]?.sizes[0]?.value ?? null,
    magnitude_type: scenes[i]?.sizes[0]?.type ?? null,
  }));
  const id = await createdFrom(catalogues.context, records, newCommand(), (i) => {
    const scene = scenes[i] as Scene;
    return scene.hasBulletin ? packBulletin(bulletinOf(scene, i)) : null;
  });
  const request = { catalogueId: id, reader: SERVICE };
  version = await resolveVersion(catalogues.context.pool, request);
});

async function found(text: string) {
  const parsed = parseFdsnQuery(text);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const query = { ...parsed.query, contributor: null, changedAfter: null, deleted: null };
  const { rows } = await firstRows(
    catalogues.projectorPool,
    { version, query, withUpdated: false, members: "none" },
    1_000,
  );
  const lines = rows
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map(readTextRow);
  const count = await countSelected(catalogues.projectorPool, version, query);
  return { lines, count };
}

const SOURCE_ID = /^ev(\d+)$/;

/** The places of the events in the order of the answer, and of the magnitudes by which they are there. */
function placesOf(lines: readonly (string | null)[][]) {
  return lines.map((line) => {
    const event = line.findIndex((field) => field !== null && SOURCE_ID.test(field));
    const matched = line[FACADE_FIELD.matched] ?? null;
    return {
      event: Number(line[event]?.slice(2)),
      matched: matched === null ? null : Number(matched),
    };
  });
}

const isOfType = (wanted: string, type: string | null) =>
  /^mb$/i.test(wanted) ? type === wanted : type?.toLowerCase() === wanted.toLowerCase();

/** The magnitude by which an event is found: the preferred one where it fits, else the largest. */
function expectedSize({ sizes, hasBulletin }: Scene, type: string, min: number, max: number) {
  const fitting = (hasBulletin ? sizes : sizes.slice(0, 1)).filter(
    (size) => isOfType(type, size.type) && (size.value ?? 0) >= min && (size.value ?? 0) <= max,
  );
  if (fitting.includes(sizes[0] as Size)) return sizes[0];
  return fitting.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0))[0];
}

test("events are found, counted and ordered by any magnitude of a type within the bounds", async () => {
  const anyBounds = fc.tuple(fc.integer({ min: 28, max: 72 }), fc.integer({ min: 28, max: 72 }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TYPES), anyBounds, async (type, bounds) => {
      const [min = 0, max = 0] = bounds.toSorted((a, b) => a - b).map((tenths) => tenths / 10);
      const text = `magnitudetype=${type}&minmagnitude=${min}&maxmagnitude=${max}&orderby=magnitude`;
      const expected = scenes.flatMap((scene, event) => {
        const size = expectedSize(scene, type, min, max);
        return size === undefined ? [] : [{ event, value: size.value ?? 0 }];
      });
      const { lines, count } = await found(`${text}&magnitudescope=any`);
      const places = placesOf(lines);
      const sizeOf = new Map(expected.map(({ event, value }) => [event, value]));
      expect(places.map(({ event }) => event).toSorted()).toEqual([...sizeOf.keys()].toSorted());
      expect(count).toBe(expected.length);
      const values = places.map(({ event }) => sizeOf.get(event) ?? 0);
      expect(values).toEqual(values.toSorted((a, b) => b - a));
      for (const { event, matched } of places) {
        const scene = scenes[event] as Scene;
        const magnitude =
          matched === null ? undefined : bulletinOf(scene, event).magnitude?.[matched];
        expect(magnitude?.mag.value).toBe(scene.hasBulletin ? sizeOf.get(event) : undefined);
      }
    }),
    { numRuns: runs(40) },
  );
});

test("pages of events by any magnitude are parts of the whole", async () => {
  const text = "magnitudetype=mb,ML&magnitudescope=any&orderby=magnitude-asc";
  const all = placesOf((await found(text)).lines);
  const pages = [];
  for (let offset = 1; offset <= all.length; offset += 7) {
    pages.push(...placesOf((await found(`${text}&limit=7&offset=${offset}`)).lines));
  }
  expect(pages).toEqual(all);
});

test("without the scope a type and bounds mean the preferred magnitude, as they did", async () => {
  for (const scope of ["", "&magnitudescope=preferred"]) {
    const { lines, count } = await found(`magnitudetype=Mw&minmagnitude=5${scope}`);
    const expected = scenes.flatMap(({ sizes: [size] }, event) =>
      size?.type === "Mw" && (size.value ?? 0) >= 5 ? [event] : [],
    );
    expect(
      placesOf(lines)
        .map(({ event }) => event)
        .toSorted(),
    ).toEqual(expected.toSorted());
    expect(count).toBe(expected.length);
  }
});

test("the preferred magnitude of a bulletin is the one that the row shows", () => {
  for (const [i, scene] of scenes.entries()) {
    const { magnitude } = shownSolutions(bulletinOf(scene, i));
    expect(magnitude?.mag.value).toBe(scene.sizes[0]?.value);
  }
});
