import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { Schedule } from "#contracts/http/schedules.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { historyOf, useImports } from "../import/import-scene.ts";
import { newAccount } from "../support/accounts.ts";
import { whileRevisionIsOpen } from "../support/open-revision.ts";
import { endOf } from "../support/operations.ts";
import { expectRefusal } from "../support/refusal.ts";
import { scheduleOf } from "../support/schedules.ts";
import {
  databaseOf,
  endedRun,
  makeScheduleDue,
  recent,
  scheduledFor,
  startRun,
} from "./schedule-scene.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const scene = useImports({ dialect: "fdsn" });
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});
afterEach(() => {
  scene.agency.fail();
  for (const { row } of scene.agency.catalogue.events()) {
    scene.agency.catalogue.replace(String(row["source_id"]), null);
  }
});

const scheduled = (settings = {}, client = editor) => scheduledFor(client, settings);
const start = (schedule: string, client = editor) => startRun(client, schedule);
const run = (schedule: string) => endedRun(editor, schedule);
const makeDue = (schedule: string) => makeScheduleDue(scene.service, schedule);

const resultOf = ({ result }: Job) => result as unknown as ImportResult;

const untilRun = (id: string, holds: (schedule: Schedule) => boolean) =>
  expect
    .poll(async () => holds(await scheduleOf(editor, id)), { timeout: 30_000, interval: 200 })
    .toBe(true);

async function logged(catalogue: string): Promise<number> {
  const client = await databaseOf(scene.service);
  const { rows } = await client.query(
    "select count(*)::int as count from event_log.events where stream like $1",
    [`catalogue-${catalogue}%`],
  );
  return rows[0]?.count ?? 0;
}

describe("a run of a schedule", () => {
  test("is an import in the name of who made it, with the schedule in the history", async () => {
    scene.agency.catalogue.add(recent("a"), recent("b", 5));
    const { catalogue, schedule } = await scheduled();
    const job = await run(schedule);
    expect(job).toMatchObject({ kind: "import", status: "succeeded" });
    expect(resultOf(job)).toMatchObject({ catalogueId: catalogue, newEvents: 2, success: true });
    const [record, ...others] = await historyOf(editor, catalogue);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ schedule_id: schedule, new_events: 2, errors: null });
    const { last_run, last_whole, next_run, failures, error } = await scheduleOf(editor, schedule);
    expect(record?.start_time).toBe(last_run);
    expect(last_whole).toBe(last_run);
    expect(Date.parse(next_run ?? "") - Date.parse(last_run ?? "")).toBe(HOUR_MS);
    expect({ failures, error }).toEqual({ failures: 0, error: null });
  });

  test("that changes nothing appends nothing to the log, and is in the history all the same", async () => {
    scene.agency.catalogue.add(recent("a"));
    const { catalogue, schedule } = await scheduled();
    await run(schedule);
    const before = await logged(catalogue);
    const again = await run(schedule);
    expect(resultOf(again)).toMatchObject({ newEvents: 0, updatedEvents: 0 });
    expect(resultOf(again).version).toBeGreaterThan(0);
    expect(await logged(catalogue)).toBe(before);
    const history = await historyOf(editor, catalogue);
    expect(history.map(({ schedule_id, new_events }) => [schedule_id, new_events])).toEqual([
      [schedule, 0],
      [schedule, 1],
    ]);
  });

  test("begins by itself when it is due, and makes up for many that were missed once", async () => {
    scene.agency.catalogue.add(recent("a"));
    const { catalogue, schedule } = await scheduled();
    await makeDue(schedule);
    await untilRun(schedule, ({ last_run, running }) => last_run !== null && !running);
    scene.agency.catalogue.add(recent("b"));
    await makeDue(schedule);
    const isAgain = async () => (await historyOf(editor, catalogue)).length;
    await expect.poll(isAgain, { timeout: 30_000 }).toBe(2);
    await untilRun(schedule, ({ running }) => !running);
    const { next_run, last_run } = await scheduleOf(editor, schedule);
    expect(Date.parse(next_run ?? "") - Date.parse(last_run ?? "")).toBe(HOUR_MS);
    expect(await historyOf(editor, catalogue)).toHaveLength(2);
  });

  test("that fails is in the history, and the next waits twice as long for each failure", async () => {
    const { catalogue, schedule } = await scheduled({ everyMinutes: 7 });
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    const failed = await run(schedule);
    expect(failed).toMatchObject({ status: "failed", error: { code: "AGENCY_ERROR" } });
    const wait = async () => {
      const { next_run, last_run } = await scheduleOf(editor, schedule);
      return (Date.parse(next_run ?? "") - Date.parse(last_run ?? "")) / MINUTE_MS;
    };
    expect(await wait()).toBe(14);
    await run(schedule);
    expect(await wait()).toBe(28);
    const { failures, error } = await scheduleOf(editor, schedule);
    expect(failures).toBe(2);
    expect(error).toMatch(/400/);
    const history = await historyOf(editor, catalogue);
    expect(history.map(({ errors }) => errors?.at(-1)?.code)).toEqual(
      Array(2).fill("AGENCY_ERROR"),
    );
    scene.agency.fail();
    await run(schedule);
    expect(await scheduleOf(editor, schedule)).toMatchObject({ failures: 0, error: null });
    expect(await wait()).toBe(7);
  });

  test("waits a day at most after failures", async () => {
    const { schedule } = await scheduled({ everyMinutes: 10_080 });
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    await run(schedule);
    const { next_run, last_run } = await scheduleOf(editor, schedule);
    expect(Date.parse(next_run ?? "") - Date.parse(last_run ?? "")).toBe(24 * HOUR_MS);
  });

  test("is refused while another one is under way", async () => {
    const { schedule } = await scheduled();
    scene.agency.fail(() => ({ kind: "hang" }));
    const operation = await start(schedule);
    expect((await scheduleOf(editor, schedule)).running).toBe(true);
    expectRefusal(await editor.send("POST", `/api/schedules/${schedule}/run`), "CONFLICT");
    await editor.send("DELETE", `/api/operations/${operation}`);
    expect(await endOf(editor, operation)).toMatchObject({ status: "cancelled" });
    expect(await scheduleOf(editor, schedule)).toMatchObject({ running: false, failures: 0 });
  });

  test("in whose way others are is no failure, and is made again soon", async () => {
    scene.agency.catalogue.add(recent("a"));
    const { catalogue, schedule } = await scheduled();
    await whileRevisionIsOpen(scene.service, catalogue, async () => {
      const job = await run(schedule);
      expect(job).toMatchObject({ status: "failed", error: { code: "CONFLICT" } });
    });
    const { failures, next_run, last_run } = await scheduleOf(editor, schedule);
    expect(failures).toBe(0);
    const waits = Date.parse(next_run ?? "") - Date.parse(last_run ?? "");
    expect(waits).toBeLessThan(2 * MINUTE_MS);
    expect(await historyOf(editor, catalogue)).toEqual([]);
  });

  test("of a maker who may not change the catalogue any more pauses it, which says so", async () => {
    const { signIn, id: maker } = await newAccount(scene.service, "editor");
    const { client } = await signIn();
    const { catalogue, schedule } = await scheduled({}, client);
    const admin = await scene.service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${maker}`, { role: "viewer" });
    const requests = scene.agency.requests.length;
    const operation = await start(schedule, admin);
    expect(await endOf(admin, operation)).toMatchObject({ error: { code: "FORBIDDEN" } });
    expect(await scheduleOf(admin, schedule)).toMatchObject({
      paused: true,
      next_run: null,
      error: "Its maker may not change the catalogue any more",
    });
    expect(scene.agency.requests).toHaveLength(requests);
    const message = "Its maker may not change the catalogue any more";
    expect(await historyOf(admin, catalogue)).toMatchObject([
      { schedule_id: schedule, errors: [{ message }] },
    ]);
    await admin.send("PATCH", `/api/users/${maker}`, { role: "editor" });
    await admin.send("PATCH", `/api/schedules/${schedule}`, { paused: false });
    expect(await endOf(admin, await start(schedule, admin))).toMatchObject({ status: "succeeded" });
    expect(await scheduleOf(admin, schedule)).toMatchObject({ paused: false, error: null });
  });

  test("of one that was ended meanwhile changes nothing", async () => {
    scene.agency.catalogue.add(recent("a"));
    const { catalogue, schedule } = await scheduled();
    const { promise: until, resolve } = Promise.withResolvers<void>();
    scene.agency.fail(() => ({ kind: "late", until }));
    const operation = await start(schedule);
    await expect.poll(() => scene.agency.open(), { timeout: 30_000 }).toBeGreaterThan(0);
    await editor.send("DELETE", `/api/schedules/${schedule}`);
    resolve();
    expect(await endOf(editor, operation)).toMatchObject({ status: "failed" });
    const { body } = await editor.get<{ event_count: number }>(`/api/catalogues/${catalogue}`);
    expect(body.event_count).toBe(0);
  });
});
