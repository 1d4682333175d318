import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { type FileServer, startFileServer } from "../../support/agency/file-server.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { wholeEvents } from "../bulletins/files/events-of-file.ts";
import { eventsOf, historyOf } from "../import/import-scene.ts";
import { EVENTS, MOMENT_TENSORS } from "../joins/join-file.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { endOf } from "../support/operations.ts";
import { expectRefusal } from "../support/refusal.ts";
import { askForSchedule, newSchedule, scheduleOf } from "../support/schedules.ts";

let files: FileServer;
beforeAll(async () => {
  files = await startFileServer();
});
// Registered before those of the service, so it runs after them.
afterAll(() => files.close());
const service = useService({
  AGENCY_ALLOW_PRIVATE: "true",
  AGENCY_RETRIES: "0",
  MAX_UPLOAD_MB: "1",
});
let editor: ApiClient;
let admin: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
  admin = await service.loginAs("admin");
});
afterEach(() => {
  files.validates(true);
  files.requests.splice(0);
});

/** A table at an address of the file server, as an agency. */
async function table(id: string, fileName: string): Promise<void> {
  const settings = { id, name: `Table ${id}`, url: files.url(fileName), dialect: "table" };
  const { status } = await admin.send("POST", "/api/agencies", settings);
  expect(status).toBe(201);
}

async function run(schedule: string): Promise<Job> {
  const path = `/api/schedules/${schedule}/run`;
  const { body } = await editor.send<{ operationId: string }>("POST", path);
  return endOf(editor, body.operationId);
}

const resultOf = ({ result }: Job) => result as unknown as ImportResult;

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

/** A table of events, `id` with a magnitude each, some hours ago. */
function csv(rows: readonly (readonly [id: string, hours: number, magnitude: number])[]): string {
  const lines = rows.map(
    ([id, hours, magnitude]) => `${id},${hoursAgo(hours)},-42,173,10,${magnitude}`,
  );
  return ["source_id,time,latitude,longitude,depth,magnitude", ...lines, ""].join("\n");
}

describe("a schedule of a table", () => {
  test("imports the rows in its window and bounds, asks by the ETag, and does nothing where the file is as it was", async () => {
    await table("events", "events.csv");
    const content = csv([
      ["a", 1, 4],
      ["b", 2, 5],
      ["small", 3, 1],
      ["old", 48, 6],
    ]);
    files.put("events.csv", content);
    const { id } = await createCatalogue(editor, { events: [] });
    const schedule = await newSchedule(editor, id, { agency: "events", minMagnitude: 2 });
    expect(resultOf(await run(schedule))).toMatchObject({ success: true, newEvents: 2 });
    expect([...(await eventsOf(editor, id)).keys()].sort()).toEqual(["a", "b"]);
    const { version } = resultOf(await run(schedule));
    expect(files.requests.map(({ status }) => status)).toEqual([200, 304]);
    files.validates(false);
    expect(resultOf(await run(schedule))).toMatchObject({ version, totalFetched: 0 });
    expect(files.requests.at(-1)?.status).toBe(200);
    files.put("events.csv", `${content}c,${hoursAgo(4)},-42,173,10,3\n`);
    expect(resultOf(await run(schedule))).toMatchObject({ version: version + 1, newEvents: 1 });
    const { last_whole, last_run, failures } = await scheduleOf(editor, schedule);
    expect({ last_whole, failures }).toEqual({ last_whole: last_run, failures: 0 });
    expect(await historyOf(editor, id)).toHaveLength(4);
  });

  test("withdraws what the file has no more, unless a row of it has no id, and never much of it", async () => {
    await table("withdrawing", "withdrawing.csv");
    const all = Array.from({ length: 10 }, (_, i) => [`w${i}`, 1 + i / 10, 3] as const);
    files.put("withdrawing.csv", csv(all));
    const { id } = await createCatalogue(editor, { events: [] });
    const settings = { agency: "withdrawing", withdrawn: "remove" };
    const schedule = await newSchedule(editor, id, settings);
    expect(resultOf(await run(schedule))).toMatchObject({ newEvents: 10 });
    const fewer = csv(all.slice(1));
    files.put("withdrawing.csv", `${fewer},${hoursAgo(1)},-42,173,10,3\n`);
    expect(resultOf(await run(schedule)).withdrawnEvents).toBeUndefined();
    files.put("withdrawing.csv", fewer);
    expect(resultOf(await run(schedule))).toMatchObject({ withdrawnEvents: 1, newEvents: 0 });
    expect((await eventsOf(editor, id)).has("w0")).toBe(false);
    files.put("withdrawing.csv", csv(all.slice(5)));
    for (let i = 0; i < 4; i += 1)
      expect(resultOf(await run(schedule))).toMatchObject({ withheld: 4 });
    expect((await eventsOf(editor, id)).size).toBe(9);
    // The file is as it was in all runs but the first.
    files.put("withdrawing.csv", csv(all.slice(4)));
    expect(resultOf(await run(schedule))).toMatchObject({ withdrawnEvents: 3 });
    expect((await eventsOf(editor, id)).size).toBe(6);
  });

  test("joins what rows say to events that are there, and the history tells what matches nothing", async () => {
    await table("tensors", "tensors.csv");
    files.put("tensors.csv", MOMENT_TENSORS);
    const { id } = await createCatalogue(editor, { events: EVENTS });
    const schedule = await newSchedule(editor, id, { agency: "tensors", join: "source_id" });
    const unmatched = [{ line: 4, id: "9999999" }];
    const joined = { version: 2, newEvents: 0, updatedEvents: 2, unmatched, unmatchedCount: 1 };
    expect(resultOf(await run(schedule))).toMatchObject(joined);
    const [record] = await historyOf(editor, id);
    expect(record).toMatchObject({ updated_events: 2, unmatched, unmatched_count: 1 });
    const events = await wholeEvents(editor, id);
    expect(events.map(({ bulletin }) => bulletin.focalMechanism?.length)).toEqual([1, 1]);
    expect(resultOf(await run(schedule))).toMatchObject({ version: 2, updatedEvents: 0 });
    expect(files.requests.map(({ status }) => status)).toEqual([200, 304]);
  });

  test("finds rows of a file that is as it was for events that have come since", async () => {
    await table("early", "early.csv");
    files.put("early.csv", MOMENT_TENSORS);
    const { id } = await createCatalogue(editor, { events: EVENTS.slice(0, 1) });
    const schedule = await newSchedule(editor, id, { agency: "early", join: "source_id" });
    expect(resultOf(await run(schedule))).toMatchObject({ updatedEvents: 1, unmatchedCount: 2 });
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: EVENTS.slice(1) });
    const again = { updatedEvents: 1, skippedEvents: 1, unmatchedCount: 1 };
    expect(resultOf(await run(schedule))).toMatchObject(again);
    expect(files.requests.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("reads columns as it is told, and compressed files", async () => {
    await table("columns", "columns.csv.gz");
    const lines = ["who,OT,Y,X,km,M", `n1,${hoursAgo(1)},-42,173,10,4.5`, ""];
    files.put("columns.csv.gz", gzipSync(lines.join("\n")));
    const { id } = await createCatalogue(editor, { events: [] });
    const columns = {
      ...{ who: "source_id", OT: "time", Y: "latitude", X: "longitude" },
      ...{ km: "depth", M: "magnitude" },
    };
    const schedule = await newSchedule(editor, id, { agency: "columns", columns });
    expect(await scheduleOf(editor, schedule)).toMatchObject({ columns });
    expect(resultOf(await run(schedule))).toMatchObject({ newEvents: 1 });
    expect((await eventsOf(editor, id)).get("n1")).toMatchObject({ magnitude: 4.5 });
  });

  test.each([
    ["is not there", null, {}, /answered with status 404/],
    ["is larger than uploads may be", "x".repeat(1024 ** 2 + 1), {}, /larger than 1 MB/],
    ["is of no kind that is read", "no table\n", {}, /no row can be read|not supported/],
    ["has not such columns", csv([]), { columns: { none: "depth" } }, /columns.none is not/],
    ["has no ids to join by", "depth,magnitude\n10,4\n", { join: "source_id" }, /has no ids/],
  ])("fails where the file %s, and says so", async (what, content, more, message) => {
    const agency = what.replaceAll(" ", "-");
    await table(agency, agency);
    files.put(agency, content);
    const { id } = await createCatalogue(editor);
    const schedule = await newSchedule(editor, id, { agency, ...more });
    const failed = { status: "failed", error: { code: "AGENCY_ERROR" } };
    expect(await run(schedule)).toMatchObject(failed);
    expect((await scheduleOf(editor, schedule)).error).toMatch(message);
    expect((await eventsOf(editor, id)).size).toBe(1);
  });
});

describe("what is said of a table", () => {
  test.each([
    ["join", { join: "source_id" }],
    ["columns", { columns: { a: "depth" } }],
  ])(
    "is refused for an event service, when a schedule is made and changed: %s",
    async (field, settings) => {
      const { id } = await createCatalogue(editor);
      expectRefusal(await askForSchedule(editor, id, settings), "VALIDATION_ERROR", field);
      const schedule = await newSchedule(editor, id);
      const path = `/api/schedules/${schedule}`;
      expectRefusal(await editor.send("PATCH", path, settings), "VALIDATION_ERROR", field);
      expect(await scheduleOf(editor, schedule)).not.toHaveProperty(field);
    },
  );

  test("is taken back with null, and must be where the agency becomes an event service", async () => {
    await table("changing", "changing.csv");
    const { id } = await createCatalogue(editor);
    const schedule = await newSchedule(editor, id, { agency: "changing", join: "source_id" });
    const path = `/api/schedules/${schedule}`;
    const toService = { agency: "geonet" };
    expectRefusal(await editor.send("PATCH", path, toService), "VALIDATION_ERROR", "join");
    const { status } = await editor.send("PATCH", path, { ...toService, join: null });
    expect(status).toBe(200);
    expect(await scheduleOf(editor, schedule)).not.toHaveProperty("join");
  });
});
