import { beforeEach, describe, expect, test } from "vitest";
import { bareId } from "#contracts/seismic-event/public-id.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { OWN_NAMESPACE, OWN_PREFIX } from "#infra/formats/quakeml/shared/event-ids.ts";
import { servedExport } from "../../support/agency/exported-events.ts";
import { XML_HEAD } from "../../support/agency/geonet-xml.ts";
import { publicIdEvents, publicIdOf, servedUnder } from "../../support/agency/public-id-events.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { createFrom, eventsOf, exportFile, inOrder, uploadFile } from "../formats/file-round.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { imported, useImports } from "./import-scene.ts";

const EVENTS = 1_142;
const xmlHead = XML_HEAD.replace("xmlns=", `xmlns:${OWN_PREFIX}="${OWN_NAMESPACE}" xmlns=`);
const scene = useImports({ cap: 400, xmlHead });
const given = publicIdEvents(11, EVENTS);
let editor: ApiClient;

beforeEach(async () => {
  editor = await scene.service.loginAs("editor");
  serve(given);
});

/** What the agency has from now on. */
function serve(events: readonly ServedEvent[]): void {
  const { catalogue } = scene.agency;
  for (const { row } of catalogue.events()) catalogue.replace(String(row["source_id"]), null);
  catalogue.add(...events);
}

function publicIdIn({ source_id: sourceId, extra }: Omit<SeismicEvent, "id">): string | null {
  return typeof extra?.["public_id"] === "string" ? extra["public_id"] : sourceId;
}

/** Time and magnitude of each event by its public id. */
async function earthquakes(catalogueId: string): Promise<Map<string | null, unknown[]>> {
  const events = await eventsOf(editor, catalogueId);
  const byPublicId = new Map(
    events.map((event) => [publicIdIn(event), [event.time, event.magnitude]]),
  );
  expect(byPublicId.size).toBe(events.length);
  expect(new Set(events.map((event) => event.source_id)).size).toBe(events.length);
  return byPublicId;
}

const served = (events: readonly ServedEvent[]) =>
  new Map(events.map(({ row }) => [row["source_id"], [row["time"], row["magnitude"]]]));

describe("earthquakes whose public ids end alike", () => {
  test("earthquakes whose public ids end alike are all imported, each found again under its own public id", async () => {
    const first = await imported(editor);
    expect(first).toMatchObject({ success: true, newEvents: EVENTS, totalFetched: EVENTS });
    const { catalogueId } = first;
    expect(await earthquakes(catalogueId)).toEqual(served(given));
    const bareIds = new Set(given.map(({ row }) => bareId(String(row["source_id"]))));
    const stored = await eventsOf(editor, catalogueId);
    expect(stored.filter((event) => bareIds.has(event.source_id ?? ""))).toHaveLength(bareIds.size);
    const others = stored.filter((event) => !bareIds.has(event.source_id ?? ""));
    expect(others.every((event) => event.source_id === publicIdIn(event))).toBe(true);

    const revised = given.map(({ row: { source_id: id, ...row } }, i) =>
      servedUnder(String(id), i % 10 === 0 ? { ...row, magnitude: 9 + i / EVENTS } : row),
    );
    serve(revised);
    const again = await imported(editor, { catalogueId, updateExisting: true });
    const updatedEvents = Math.ceil(EVENTS / 10);
    expect(again).toMatchObject({
      success: true,
      newEvents: 0,
      updatedEvents,
      skippedReasons: { unchanged: EVENTS - updatedEvents },
    });
    expect(await earthquakes(catalogueId)).toEqual(served(revised));
    const ids = (events: readonly Omit<SeismicEvent, "id">[]) =>
      events.map((event) => `${event.source_id} ${publicIdIn(event)}`).sort();
    expect(ids(await eventsOf(editor, catalogueId))).toEqual(ids(stored));
  });

  test("earthquakes whose public ids end alike are all imported by runs of one year each, whatever the order of the years", async () => {
    const { id: catalogueId } = await createCatalogue(editor, { events: [] });
    for (const year of [2019, 2016, 2021, 2015, 2022, 2017, 2020, 2018]) {
      const window = { startDate: `${year}-01-01`, endDate: `${year + 1}-01-01` };
      const run = await imported(editor, { catalogueId, updateExisting: true, ...window });
      expect(run).toMatchObject({ success: true, updatedEvents: 0 });
    }
    const whole = await imported(editor, { catalogueId, updateExisting: true });
    expect(whole).toMatchObject({ newEvents: 0, updatedEvents: 0 });
    expect(await earthquakes(catalogueId)).toEqual(served(given));
  });

  test("earthquakes whose public ids end alike that an earlier version let collapse stay as they are, and the others come in", async () => {
    const [first] = given;
    const stored = seismicEvent({
      time: first?.row["time"],
      magnitude: 1.25,
      source_id: bareId(publicIdOf(0)),
      extra: { public_id: publicIdOf(0) },
    });
    const { id: catalogueId } = await createCatalogue(editor, { events: [stored] });
    const run = await imported(editor, { catalogueId });
    expect(run).toMatchObject({ newEvents: EVENTS - 1, skippedReasons: { existing: 1 } });
    const expected = served(given).set(publicIdOf(0), [first?.row["time"], 1.25]);
    expect(await earthquakes(catalogueId)).toEqual(expected);
  });
});

describe("full and summary of one agency", () => {
  const [A, B, C] = [
    "smi:de.bgr/2015/event/1",
    "smi:de.bgr/2016/event/1",
    "smi:de.bgr/2017/event/1",
  ];
  const row = (year: number, magnitude = 1): JsonObject => ({
    ...given[0]?.row,
    time: `${year}-05-01T00:00:00Z`,
    magnitude,
  });
  const bare = (year: number, magnitude: number): ServedEvent => ({
    row: { ...row(year, magnitude), source_id: "1" },
  });

  test("full and summary of one agency meet by the bare id, and what the text does not have of the public id stays", async () => {
    serve([servedUnder(A, row(2015))]);
    const { catalogueId } = await imported(editor);
    serve([bare(2015, 2)]);
    const update = { catalogueId, updateExisting: true };
    const summary = await imported(editor, { ...update, detail: "summary" });
    expect(summary).toMatchObject({ newEvents: 0, updatedEvents: 1 });
    expect(await earthquakes(catalogueId)).toEqual(new Map([[A, ["2015-05-01T00:00:00Z", 2]]]));
    serve([servedUnder(A, row(2015, 2)), servedUnder(B, row(2016))]);
    expect(await imported(editor, update)).toMatchObject({ newEvents: 1, updatedEvents: 1 });
    expect((await earthquakes(catalogueId)).get(A)).toEqual(["2015-05-01T00:00:00Z", 2]);
  });

  test("full and summary of one agency meet in the other order, where one public id alone takes the bare id", async () => {
    serve([bare(2015, 1)]);
    const { catalogueId } = await imported(editor, { detail: "summary" });
    serve([servedUnder(A, row(2015, 2)), servedUnder(B, row(2016, 3))]);
    const full = await imported(editor, { catalogueId });
    expect(full).toMatchObject({ newEvents: 1, skippedReasons: { existing: 1 } });
    serve([servedUnder(A, row(2015, 2)), servedUnder(B, row(2016, 3)), servedUnder(C, row(2017))]);
    const next = await imported(editor, { catalogueId, updateExisting: true });
    expect(next).toMatchObject({ newEvents: 1, updatedEvents: 1 });
    expect([...(await earthquakes(catalogueId)).keys()].sort()).toEqual([A, B, C]);
  });

  test("full and summary of one agency change nothing by a bare id that several events of the catalogue have", async () => {
    serve([servedUnder(A, row(2015)), servedUnder(B, row(2016))]);
    const { catalogueId } = await imported(editor);
    const before = await earthquakes(catalogueId);
    serve([bare(2016, 7)]);
    const update = { catalogueId, updateExisting: true, detail: "summary" };
    const summary = await imported(editor, update);
    expect(summary).toMatchObject({ success: true, version: 1, skippedReasons: { existing: 1 } });
    expect(await earthquakes(catalogueId)).toEqual(before);
  });
});

describe("a catalogue of them that is exported and comes back is the same", () => {
  test.each([
    ["json", "&include=bulletin"],
    ["quakeml", ""],
  ] as const)(
    "a catalogue of them that is exported and comes back is the same, bulletins included, as %s by upload",
    async (format, further) => {
      const { catalogueId } = await imported(editor);
      const file = await exportFile(editor, catalogueId, format, further);
      const again = await createFrom(editor, await uploadFile(editor, file, `x.${format}`));
      expect(await eventsOf(editor, again)).toEqual(await eventsOf(editor, catalogueId));
    },
  );

  test.each(["csv", "json", "geojson"] as const)(
    "a catalogue of them that is exported and comes back is the same, but for bulletins, as %s by upload",
    async (format) => {
      const { catalogueId } = await imported(editor);
      const file = await exportFile(editor, catalogueId, format);
      const again = await createFrom(editor, await uploadFile(editor, file, `x.${format}`));
      const rows = (await eventsOf(editor, catalogueId)).map(
        ({
          bulletin_sha256: _,
          ...event
        }: Omit<SeismicEvent, "id"> & { bulletin_sha256?: string }) => event,
      );
      expect(await eventsOf(editor, again)).toEqual(inOrder(rows));
    },
  );

  test("a catalogue of them that is exported and comes back is the same as QuakeML by an import", async () => {
    const { catalogueId } = await imported(editor);
    const file = await exportFile(editor, catalogueId, "quakeml");
    serve(servedExport(new TextDecoder().decode(file)).events);
    const again = await imported(editor);
    expect(await eventsOf(editor, again.catalogueId)).toEqual(await eventsOf(editor, catalogueId));
    expect(await imported(editor, { catalogueId })).toMatchObject({ newEvents: 0 });
  });

  test("a catalogue of them that is exported and comes back is the same as text by upload, under the same source_ids", async () => {
    const { catalogueId } = await imported(editor);
    const file = await exportFile(editor, catalogueId, "text");
    const again = await createFrom(editor, await uploadFile(editor, file, "x.txt"));
    const sourceIds = async (id: string) =>
      (await eventsOf(editor, id)).map((event) => event.source_id).sort();
    expect(await sourceIds(again)).toEqual(await sourceIds(catalogueId));
  });
});
