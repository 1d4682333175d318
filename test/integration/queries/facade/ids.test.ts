import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EVENT_ID_PATH, OWN_AUTHORITY, SOURCE_ID_PATH } from "#contracts/seismic-event/ids.ts";
import { bareId, idsOf } from "#contracts/seismic-event/public-ids.ts";
import {
  emptyRecord,
  type SeismicEvent,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { runs } from "../../../support/runs.ts";
import { createModelCatalogue, type ModelCatalogue } from "../model-catalogue.ts";
import { useReadModel } from "../use-read-model.ts";
import { createFacadeReads, type FacadeReads } from "./reads.ts";

const model = useReadModel();
let facade: FacadeReads;
let catalogue: ModelCatalogue;

function record(sourceId: string | null, publicId?: string): SeismicEventRecord {
  return {
    ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
    source_id: sourceId,
    extra: publicId === undefined ? null : { public_id: publicId },
  };
}

const STORED: readonly SeismicEventRecord[] = [
  record("2024p344188", "smi:nz.org.geonet/2024p344188"),
  record("us7000abcd"),
  record(
    "ci15481673",
    "quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml",
  ),
  record("1", "smi:a/event/1"),
  record("smi:b/event/1", "smi:b/event/1"),
  record("smi:c/2024abcd/event#"),
  record("quakeml:d/evid=600516598"),
  record("a, b"),
  record("2024/1", "2024/1"),
  record("7"),
  record(null, "smi:a/event/2"),
  record(null, `smi:long/${"é".repeat(246)}`),
  record(null),
  record("{\"'\\%_"),
];

beforeAll(async () => {
  facade = createFacadeReads(model);
  catalogue = await createModelCatalogue(model.writer);
  await catalogue.commit({ add: STORED });
  await catalogue.commit({ add: [...STORED, record("7", "smi:e/7")] });
  const [first, second, third] = catalogue.events();
  if (first === undefined || second === undefined || third === undefined) throw new Error("none");
  const renamed = { ...second, source_id: "renamed", extra: { public_id: "smi:f/renamed" } };
  await catalogue.commit({ update: [{ ...first, magnitude: 1 }, renamed], remove: [third.id] });
  await catalogue.open({ remove: catalogue.events().map(({ id }) => id) });
});
afterAll(() => facade.close());

/** Whether a text is one of an event's ids (`contracts/docs/event-service.md`, FDSN event service). */
function isMeant(event: SeismicEvent, text: string): boolean {
  const { sourceId, publicId } = idsOf(event);
  const hex = event.id.replaceAll("-", "");
  const own = [event.id, hex, EVENT_ID_PATH + event.id, EVENT_ID_PATH + hex];
  if (own.includes(text)) return true;
  const isPublic = sourceId !== null && sourceId === publicId;
  const words = [sourceId, isPublic ? bareId(sourceId) : null].filter((word) => word !== null);
  if (words.some((word) => text === word || text === SOURCE_ID_PATH + word)) return true;
  if (publicId !== null) return publicId === text;
  // Ids that our QuakeML makes are of nobody else; several ids are no bare one.
  if (text.startsWith(OWN_AUTHORITY) || text.includes(",")) return false;
  return bareId(text) !== text && bareId(text) === sourceId;
}

function earlierEvents(version: number): readonly SeismicEvent[] {
  return version === 1 ? [] : [...catalogue.events(version - 1), ...earlierEvents(version - 1)];
}

function formsOf(event: SeismicEvent): string[] {
  const { sourceId, publicId } = idsOf(event);
  const hex = event.id.replaceAll("-", "");
  const named = [sourceId, publicId].flatMap((id) => (id === null ? [] : [id, bareId(id)]));
  return [
    event.id,
    hex.toLowerCase(),
    EVENT_ID_PATH + hex,
    EVENT_ID_PATH + event.id,
    ...named,
    ...named.map((id) => SOURCE_ID_PATH + id),
    ...named.map((id) => `smi:g/${id}`),
  ];
}

test("every id of an event finds it, in the version asked for, and no other id does", async () => {
  const versions = [1, 2, 3];
  const texts = [
    ...new Set(versions.flatMap((version) => catalogue.events(version).flatMap(formsOf))),
    "nothing",
    "%",
    "renamed",
    "smi:f/renamed",
  ].filter((text) => !text.includes(","));
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(texts, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...versions),
      async (some, version) => {
        const expected = catalogue
          .events(version)
          .filter((event) => some.some((text) => isMeant(event, text)))
          .map(({ id }) => id.replaceAll("-", ""))
          .sort();
        const query = `eventid=${encodeURIComponent(some.join(","))}&asof=${version}`;
        const wasThere = earlierEvents(version).some((event) =>
          some.some((text) => isMeant(event, text)),
        );
        if (expected.length === 0 && wasThere) {
          await expect(facade.query(catalogue.id, query)).rejects.toMatchObject({ code: "GONE" });
          return;
        }
        const xml = await facade.query(catalogue.id, query);
        const ids = [...xml.matchAll(/<origin publicID="[^"]*\/(\w{32})"/g)].map(([, id]) => id);
        expect(ids.sort()).toEqual(expected);
        expect(await facade.count(catalogue.id, query)).toBe(expected.length);
      },
    ),
    { numRuns: runs(400, 1 / 10) },
  );
});

test("each form of each id finds its event alone", async () => {
  for (const event of catalogue.events(1)) {
    for (const text of formsOf(event).filter((form) => isMeant(event, form))) {
      const query = `eventid=${encodeURIComponent(text)}&asof=1`;
      const xml = await facade.query(catalogue.id, query);
      expect(xml.includes(event.id.replaceAll("-", "")), text).toBe(true);
    }
  }
});

test("the id that each format shows finds the event again", async () => {
  const version = 1;
  for (const { id } of catalogue.events(version)) {
    const ask = (format: string, text = id) =>
      facade.query(
        catalogue.id,
        `eventid=${encodeURIComponent(text)}&asof=${version}&format=${format}`,
      );
    const shown = {
      xml: /<event publicID="([^"]+)"/.exec(await ask("xml"))?.[1]?.replaceAll("&amp;", "&"),
      text: (await ask("text")).split("\n")[1]?.split("|")[0],
      geojson: JSON.parse(await ask("geojson")).id,
      json: JSON.parse(await ask("json")).features[0].id,
    };
    for (const [format, text] of Object.entries(shown)) {
      const xml = await ask("xml", text ?? "");
      const hex = id.replaceAll("-", "");
      expect([format, text, xml.includes(`origin/${hex}`)]).toEqual([format, text, true]);
    }
  }
});
