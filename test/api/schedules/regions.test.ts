import { beforeAll, describe, expect, test } from "vitest";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { eventsOf, historyOf, importEvents, useImports } from "../import/import-scene.ts";
import { newRegion, redraw, squareOf, wktOf } from "../regions/region-scene.ts";
import { scheduleOf } from "../support/schedules.ts";
import { databaseOf, endedRun, recent, scheduledFor } from "./schedule-scene.ts";

// It can be asked for what changed.
const scene = useImports({ dialect: "geonet" }, { AGENCY_DIALECT: "geonet" });
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});

const SQUARE = squareOf(170, -45, 175, -40);
const LARGER = squareOf(170, -45, 180, -40);

/** What the agency has: five inside of the square, and one beside it. */
function served(): void {
  for (const { row } of scene.agency.catalogue.events()) {
    scene.agency.catalogue.replace(String(row["source_id"]), null);
  }
  scene.agency.catalogue.add(
    ...[171, 172, 173, 174, 175].map((longitude) => at(`in ${longitude}`, { longitude })),
    at("out", { longitude: 178 }),
  );
}

function at(id: string, place: JsonObject): ServedEvent {
  const event = recent(id);
  return { ...event, row: { ...event.row, ...place } };
}

const INSIDE = ["in 171", "in 172", "in 173", "in 174", "in 175"];
const idsIn = async (catalogue: string) => [...(await eventsOf(editor, catalogue)).keys()].sort();
const resultOf = ({ result }: Job) => result as unknown as ImportResult;

async function scheduledBy(settings: Readonly<Record<string, unknown>>) {
  served();
  const made = await scheduledFor(editor, settings);
  return { ...made, run: () => endedRun(editor, made.schedule) };
}

describe("a schedule", () => {
  test("by a polygon imports what lies in it, and counts nothing else", async () => {
    const { catalogue, schedule, run } = await scheduledBy({ polygon: wktOf(SQUARE) });
    expect(resultOf(await run())).toMatchObject({ totalFetched: 5, newEvents: 5 });
    expect(await idsIn(catalogue)).toEqual(INSIDE);
    expect(resultOf(await run())).toMatchObject({ newEvents: 0, updatedEvents: 0 });
    expect(await scheduleOf(editor, schedule)).toMatchObject({ polygon: wktOf(SQUARE) });
  });

  test("by a region reads the whole window once after the region is changed", async () => {
    const region = await newRegion(editor, SQUARE);
    const { catalogue, schedule, run } = await scheduledBy({ region });
    await run();
    expect(await idsIn(catalogue)).toEqual(INSIDE);
    expect((await scheduleOf(editor, schedule)).last_whole).not.toBeNull();
    await redraw(editor, region, LARGER);
    expect((await scheduleOf(editor, schedule)).last_whole).toBeNull();
    expect(resultOf(await run())).toMatchObject({ newEvents: 1 });
    expect(await idsIn(catalogue)).toEqual([...INSIDE, "out"]);
    expect((await scheduleOf(editor, schedule)).last_whole).not.toBeNull();
    const before = scene.agency.requests.length;
    await run();
    expect(scene.agency.requests[before]?.parameters).toHaveProperty("updatedafter");
  });

  test("withdraws what the agency has no more within its region alone", async () => {
    const region = await newRegion(editor, SQUARE);
    const { catalogue, run } = await scheduledBy({ region, withdrawn: "remove" });
    await importEvents(editor, { catalogueId: catalogue, hours: 24 });
    expect(await idsIn(catalogue)).toEqual([...INSIDE, "out"]);
    scene.agency.catalogue.replace("in 171", null);
    scene.agency.catalogue.replace("out", null);
    expect(resultOf(await run())).toMatchObject({ withdrawnEvents: 1 });
    expect(await idsIn(catalogue)).toEqual([...INSIDE.slice(1), "out"]);
  });

  test("leaves what it has imported where its region becomes smaller", async () => {
    const region = await newRegion(editor, LARGER);
    const { catalogue, run } = await scheduledBy({ region, withdrawn: "remove" });
    await run();
    await redraw(editor, region, SQUARE);
    expect(resultOf(await run())).not.toHaveProperty("withdrawnEvents");
    expect(await idsIn(catalogue)).toEqual([...INSIDE, "out"]);
  });

  test("fails where its region was deleted while it was made, and says so", async () => {
    const region = await newRegion(editor, SQUARE);
    const { catalogue, schedule, run } = await scheduledBy({ region });
    const client = await databaseOf(scene.service);
    await client.query("delete from read_model.regions where id = $1", [region]);
    const told = "The region by which it imports was deleted";
    expect(await run()).toMatchObject({ status: "failed" });
    expect(await scheduleOf(editor, schedule)).toMatchObject({ failures: 1, error: told });
    const [record] = await historyOf(editor, catalogue);
    expect(record?.errors).toMatchObject([{ message: told }]);
    await editor.send("PATCH", `/api/schedules/${schedule}`, { region: null });
    expect(await run()).toMatchObject({ status: "succeeded" });
  });
});
