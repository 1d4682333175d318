import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogue.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";
import {
  EVERYTHING,
  eventsOf,
  historyOf,
  importEvents,
  imported,
  useImports,
} from "./import-scene.ts";

const EVENTS = 60;
const scene = useImports({});
const given = [...servedEvents(7, EVENTS)];
let editor: ApiClient;
let catalogueId: string;

beforeEach(async () => {
  editor = await scene.service.loginAs("editor");
  const { catalogue } = scene.agency;
  for (const { row } of catalogue.events()) catalogue.replace(idOf(row), null);
  catalogue.add(...given);
  ({ catalogueId } = await imported(editor));
});

function idOf(row: JsonObject | undefined): string {
  return String(row?.["source_id"]);
}

function revise(index: number, changes: JsonObject): string {
  const { row } = given[index] ?? { row: {} };
  scene.agency.catalogue.replace(idOf(row), { row: { ...row, ...changes } });
  return idOf(row);
}

async function catalogueOf(): Promise<Catalogue> {
  return (await editor.get<Catalogue>(`/api/catalogues/${catalogueId}`)).body;
}

describe("an import into a catalogue", () => {
  test("an import into a catalogue adds what is new to it, and skips what is there", async () => {
    const before = await catalogueOf();
    const [added] = servedEvents(8, 1);
    scene.agency.catalogue.add({ row: { ...added?.row, source_id: "another" } });
    revise(3, { magnitude: 6.1 });
    const result = await imported(editor, { catalogueId, catalogueName: "not looked at" });
    expect(result).toMatchObject({
      catalogueId,
      catalogueName: before.name,
      version: 2,
      totalFetched: EVENTS + 1,
      newEvents: 1,
      updatedEvents: 0,
      skippedEvents: EVENTS,
      skippedReasons: { existing: EVENTS, unchanged: 0, excluded: 0, rejected: 0 },
    });
    expect((await catalogueOf()).event_count).toBe(EVENTS + 1);
  });

  test("an import into a catalogue updates what is different, where it is asked to", async () => {
    const id = revise(3, { magnitude: 6.1, region: "elsewhere" });
    const before = await eventsOf(editor, catalogueId);
    const result = await imported(editor, { catalogueId, updateExisting: true });
    expect(result).toMatchObject({
      success: true,
      version: 2,
      updatedEvents: 1,
      skippedReasons: { existing: 0, unchanged: EVENTS - 1, excluded: 0, rejected: 0 },
    });
    const after = await eventsOf(editor, catalogueId);
    expect(after.get(id)).toMatchObject({ magnitude: 6.1, region: "elsewhere" });
    expect(after.get(id)?.id).toBe(before.get(id)?.id);
    after.delete(id);
    before.delete(id);
    expect(after).toEqual(before);
  });

  test("an import into a catalogue makes no version where nothing has changed, and is in the history all the same", async () => {
    const result = await imported(editor, { catalogueId, updateExisting: true });
    expect(result).toMatchObject({ success: true, version: 1, skippedEvents: EVENTS });
    const { body } = await editor.get<{ versions: CatalogueVersion[] }>(
      `/api/catalogues/${catalogueId}/versions`,
    );
    expect(body.versions.map(({ cause, added }) => [cause, added])).toEqual([["import", EVENTS]]);
    expect(await catalogueOf()).toMatchObject({ status: "active", version: 1 });
    const history = await historyOf(editor, catalogueId);
    expect(history.map((run) => run.skipped_events)).toEqual([EVENTS, 0]);
  });

  test("an import into a catalogue moves the bounds of the catalogue with the events that it updates", async () => {
    const { max_magnitude: strongest } = await catalogueOf();
    const place = given.findIndex(({ row }) => row["magnitude"] === strongest);
    revise(place, { magnitude: 1.5, latitude: -89 });
    await imported(editor, { catalogueId, updateExisting: true });
    const others = given.map(({ row }) => Number(row["magnitude"])).filter((_, i) => i !== place);
    expect(await catalogueOf()).toMatchObject({
      max_magnitude: Math.max(...others),
      min_latitude: -89,
    });
  });

  test("an import into a catalogue keeps the events that it did not get from the agency", async () => {
    const { id } = await createCatalogue(editor, { events: [seismicEvent({ source_id: "own" })] });
    const result = await imported(editor, { catalogueId: id });
    expect(result).toMatchObject({ version: 2, newEvents: EVENTS });
    expect((await eventsOf(editor, id)).has("own")).toBe(true);
  });

  test("an import into a catalogue is refused where there is none", async () => {
    const body = { ...EVERYTHING, catalogueId: randomUUID() };
    expectRefusal(await importEvents(editor, body), "NOT_FOUND");
    const prefer = { prefer: "respond-async" };
    expectRefusal(await importEvents(editor, body, prefer), "NOT_FOUND");
  });
});

describe("of what the agency has", () => {
  test("events of type not existing or duplicate and rejected ones are left out", async () => {
    scene.agency.catalogue.add(
      { row: { ...given[0]?.row, source_id: "none", event_type: "not existing" } },
      { row: { ...given[1]?.row, source_id: "refused", evaluation_status: "rejected" } },
    );
    const result = await imported(editor, { catalogueId });
    expect(result).toMatchObject({
      success: true,
      newEvents: 0,
      skippedEvents: EVENTS + 2,
      skippedReasons: { existing: EVENTS, unchanged: 0, excluded: 1, rejected: 1 },
    });
  });

  test("a duplicate is told by the text, where QuakeML knows it as another event", async () => {
    const row = { ...given[0]?.row, source_id: "twin", event_type: "duplicate" };
    scene.agency.catalogue.add({ row });
    const result = await imported(editor, { catalogueId, detail: "summary" });
    expect(result.skippedReasons).toMatchObject({ existing: EVENTS, excluded: 1 });
  });

  test("an event without a magnitude is kept, and one that cannot be read is an error", async () => {
    scene.agency.catalogue.add(
      { row: { ...given[0]?.row, source_id: "no magnitude", magnitude: null } },
      { row: { ...given[1]?.row, source_id: "off the earth", latitude: 123 } },
      { row: { ...given[2]?.row, source_id: "too deep", depth: 5_000 } },
    );
    const result = await imported(editor, { catalogueId });
    expect(result).toMatchObject({ success: false, newEvents: 2, totalFetched: EVENTS + 3 });
    expect(result.errors).toEqual([
      {
        message: expect.stringContaining("latitude"),
        source_id: "off the earth",
        line: expect.any(Number),
        where: expect.stringContaining(String(given[1]?.row["time"])),
      },
    ]);
    const events = await eventsOf(editor, catalogueId);
    expect(events.get("no magnitude")?.magnitude).toBeNull();
    expect(events.get("too deep")).toMatchObject({ depth: null, extra: { depth: 5_000 } });
    const [run] = await historyOf(editor, catalogueId);
    expect(run).toMatchObject({ total_fetched: EVENTS + 3, errors: result.errors });
  });
});
