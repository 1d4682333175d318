import pg from "pg";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { Job } from "#contracts/http/jobs.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { eventsOf, historyOf, useAgency, useImports } from "../../support/api/imports.ts";
import { whileRevisionIsOpen } from "../../support/api/open-revision.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { newRegion, redraw, squareOf, wktOf } from "../../support/api/regions.ts";
import { newSchedule, scheduleOf } from "../../support/api/schedules.ts";
import { followEvents } from "../../support/feed-client.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_S = 86_400;
const POLL = { timeout: 30_000, interval: 100 };
/** Runs that a process makes by itself at a time. */
const PLACES = 2;

// Its metrics count all schedules.
const scene = useImports({ dialect: "fdsn" }, { AGENCY_ALLOW_PRIVATE: "true" });
const { service } = scene;
/** It can be asked for what changed. */
const geonet = useAgency(service, { dialect: "geonet" }, { dialect: "geonet" });
/** It cannot: each run asks for the whole window. */
const seiscomp = useAgency(service, { dialect: "seiscomp" });
const editor = service.client("editor");
const guest = service.client("guest");
afterEach(() => {
  scene.agency.fail();
  for (const { row } of scene.agency.catalogue.events()) {
    scene.agency.catalogue.replace(String(row["source_id"]), null);
  }
});

/** An event of an hour ago and some minutes. */
function recent(id: string, minutes = 0, values: object = {}): ServedEvent {
  const time = new Date(Date.now() - HOUR_MS - minutes * MINUTE_MS).toISOString();
  const place = { latitude: -42, longitude: 173, depth: 10 };
  const row = { source_id: id, time, ...place, magnitude: 3, magnitude_type: "ML", ...values };
  return { row, updatedMs: Date.now() };
}

/** A schedule of an agency for a catalogue of its own, until the test ends. */
async function scheduled(settings: object = {}, client = editor) {
  const { id: catalogue } = await createCatalogue(client, { events: [], is_public: true });
  const schedule = await newSchedule(client, catalogue, { agency: "test-agency", ...settings });
  // No other test is to count its next run.
  onTestFinished(async () => {
    await (await service.loginAs("admin")).send("DELETE", `/api/schedules/${schedule}`);
  });
  return { catalogue, schedule };
}

/** Starts a run by hand. @returns the id of its operation */
async function start(schedule: string, client = editor): Promise<string> {
  const path = `/api/schedules/${schedule}/run`;
  const { status, headers, body } = await client.send<{ operationId: string }>("POST", path);
  expect(status, JSON.stringify(body)).toBe(202);
  expect(headers.get("location")).toBe(`/api/operations/${body.operationId}`);
  return body.operationId;
}

/** The operation of a run by hand, once it has ended. */
const run = async (schedule: string): Promise<Job> => endOf(editor, await start(schedule));
const resultOf = ({ result }: Job) => result as unknown as ImportResult;
const idsIn = async (catalogue: string) => [...(await eventsOf(editor, catalogue)).keys()].sort();

/** How long after its last run a schedule is due. */
async function waitOf(schedule: string): Promise<number> {
  const { next_run, last_run } = await scheduleOf(editor, schedule);
  return Date.parse(next_run ?? "") - Date.parse(last_run ?? "");
}

/** A connection to the service's database until the test ends. */
async function database(): Promise<pg.Client> {
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Makes a schedule due, as if everything about it had been so much earlier. */
async function makeDue(schedule: string): Promise<void> {
  const client = await database();
  for (const update of [
    "read_model.schedules set created_at = created_at - interval '3 days' where id = $1",
    "operations.schedule_states set last_run = last_run - interval '3 days', again_at = null where schedule_id = $1",
  ]) {
    await client.query(`update ${update}`, [schedule]);
  }
}

/** A metric by its name and labels; null where it is not there. */
async function metric(name: string): Promise<number | null> {
  const { body } = await guest.get<string>("/metrics");
  const line = body.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length));
}

const OUTCOMES = ["changed", "unchanged", "failed", "conflict"];
const counted = () =>
  Promise.all(
    OUTCOMES.map(async (one) => (await metric(`schedule_runs_total{outcome="${one}"}`)) ?? 0),
  );
/** How many runs have ended in each way since. */
async function since(before: readonly number[]): Promise<number[]> {
  return (await counted()).map((count, i) => count - (before[i] ?? 0));
}

describe("a run of a schedule", () => {
  test("is an import in the name of who made it, in the history; one that changes nothing appends nothing to the log", async () => {
    const before = await counted();
    scene.agency.catalogue.add(recent("a"), recent("b", 5));
    const { catalogue, schedule } = await scheduled();
    const job = await run(schedule);
    expect(job).toMatchObject({ kind: "import", status: "succeeded" });
    expect(resultOf(job)).toMatchObject({ catalogueId: catalogue, newEvents: 2, success: true });
    const [record, ...others] = await historyOf(editor, catalogue);
    expect(others).toEqual([]);
    expect(record).toMatchObject({ schedule_id: schedule, new_events: 2, errors: null });
    const state = await scheduleOf(editor, schedule);
    const last = record?.start_time;
    expect(state).toMatchObject({ last_run: last, last_whole: last, failures: 0, error: null });
    expect(await waitOf(schedule)).toBe(HOUR_MS);

    const client = await database();
    const logged = async () => {
      const count = "select count(*) from event_log.events where stream like $1";
      return (await client.query(count, [`catalogue-${catalogue}%`])).rows;
    };
    const events = await logged();
    const again = resultOf(await run(schedule));
    expect(again).toMatchObject({ newEvents: 0, updatedEvents: 0, version: expect.any(Number) });
    expect(again.version).toBeGreaterThan(0);
    expect(await logged()).toEqual(events);
    const history = await historyOf(editor, catalogue);
    expect(history.map(({ schedule_id, new_events }) => [schedule_id, new_events])).toEqual([
      [schedule, 0],
      [schedule, 2],
    ]);
    expect(await since(before)).toEqual([1, 1, 0, 0]);
  });

  test("begins by itself when it is due, and makes up for many that were missed once", async () => {
    scene.agency.catalogue.add(recent("a"));
    const [fresh, known] = [await scheduled(), await scheduled()];
    await run(known.schedule);
    scene.agency.catalogue.add(recent("b"));
    for (const { schedule } of [fresh, known]) await makeDue(schedule);
    for (const [{ catalogue, schedule }, made] of [
      [fresh, 1],
      [known, 2],
    ] as const) {
      const ended = async () => {
        const { running } = await scheduleOf(editor, schedule);
        return [running, (await historyOf(editor, catalogue)).length];
      };
      await expect.poll(ended, POLL).toEqual([false, made]);
      expect(await waitOf(schedule)).toBe(HOUR_MS);
      expect(await idsIn(catalogue)).toEqual(["a", "b"]);
    }
  });

  test("that fails is in the history, and the next waits twice as long for each failure, a day at most", async () => {
    const before = await counted();
    const { catalogue, schedule } = await scheduled({ everyMinutes: 7 });
    const { schedule: rare } = await scheduled({ everyMinutes: 10_080 });
    scene.agency.fail(() => ({ kind: "status", status: 400 }));
    const error = { code: "AGENCY_ERROR" };
    expect(await run(schedule)).toMatchObject({ status: "failed", error });
    expect(await waitOf(schedule)).toBe(14 * MINUTE_MS);
    await run(schedule);
    expect(await waitOf(schedule)).toBe(28 * MINUTE_MS);
    const state = { failures: 2, error: expect.stringMatching(/400/) };
    expect(await scheduleOf(editor, schedule)).toMatchObject(state);
    const history = await historyOf(editor, catalogue);
    expect(history.map(({ errors }) => errors?.at(-1))).toMatchObject([error, error]);
    await run(rare);
    expect(await waitOf(rare)).toBe(24 * HOUR_MS);
    scene.agency.fail();
    await run(schedule);
    expect(await scheduleOf(editor, schedule)).toMatchObject({ failures: 0, error: null });
    expect(await waitOf(schedule)).toBe(7 * MINUTE_MS);
    expect(await since(before)).toEqual([0, 1, 3, 0]);
  });

  test("is refused while another one is under way, which may be cancelled", async () => {
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
    await whileRevisionIsOpen(service, catalogue, async () => {
      const error = { code: "CONFLICT" };
      expect(await run(schedule)).toMatchObject({ status: "failed", error });
    });
    expect((await scheduleOf(editor, schedule)).failures).toBe(0);
    expect(await waitOf(schedule)).toBeLessThan(2 * MINUTE_MS);
    expect(await historyOf(editor, catalogue)).toEqual([]);
  });

  test("of a maker who may not change the catalogue any more pauses it, which says so", async () => {
    const { signIn, id: maker } = await newAccount(service, "editor");
    const { catalogue, schedule } = await scheduled({}, (await signIn()).client);
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${maker}`, { role: "viewer" });
    const requests = scene.agency.requests.length;
    const ended = async () => endOf(admin, await start(schedule, admin));
    expect(await ended()).toMatchObject({ error: { code: "FORBIDDEN" } });
    const message = "Its maker may not change the catalogue any more";
    const paused = { paused: true, next_run: null, error: message };
    expect(await scheduleOf(admin, schedule)).toMatchObject(paused);
    expect(scene.agency.requests).toHaveLength(requests);
    expect(await historyOf(admin, catalogue)).toMatchObject([
      { schedule_id: schedule, errors: [{ message }] },
    ]);
    await admin.send("PATCH", `/api/users/${maker}`, { role: "editor" });
    await admin.send("PATCH", `/api/schedules/${schedule}`, { paused: false });
    expect(await ended()).toMatchObject({ status: "succeeded" });
    expect(await scheduleOf(admin, schedule)).toMatchObject({ paused: false, error: null });
  });

  test("of one that was ended meanwhile changes nothing", async () => {
    scene.agency.catalogue.add(recent("a"));
    const { catalogue, schedule } = await scheduled();
    const { promise: until, resolve } = Promise.withResolvers<void>();
    scene.agency.fail(() => ({ kind: "late", until }));
    const operation = await start(schedule);
    await expect.poll(() => scene.agency.open(), POLL).toBeGreaterThan(0);
    await editor.send("DELETE", `/api/schedules/${schedule}`);
    resolve();
    expect(await endOf(editor, operation)).toMatchObject({ status: "failed" });
    const { body } = await editor.get(`/api/catalogues/${catalogue}`);
    expect(body).toMatchObject({ event_count: 0 });
  });

  test("that is committed is no failure where its end cannot be kept, and is made again", async () => {
    const before = await counted();
    const { catalogue, schedule } = await scheduled();
    scene.agency.catalogue.add(recent("committed"));
    const client = await database();
    await client.query(`
      create function no_end() returns trigger language plpgsql as $$
        begin raise exception 'the end cannot be kept'; end $$;
      create trigger no_end before update on operations.schedule_states for each row
        when (old.worker is not null and new.worker is null) execute function no_end()`);
    const { status } = await run(schedule);
    await client.query("drop function no_end cascade");
    expect(status).toBe("succeeded");
    // Made again as soon as it is noticed, it finds nothing new.
    await expect.poll(async () => (await historyOf(editor, catalogue)).length, POLL).toBe(2);
    const history = await historyOf(editor, catalogue);
    expect(history.map(({ errors }) => errors)).toEqual([null, null]);
    await expect.poll(() => since(before), POLL).toEqual([1, 1, 0, 0]);
    expect(await scheduleOf(editor, schedule)).toMatchObject({ failures: 0, error: null });
  });

  test("shows in metrics while it is due and waits, with what is so for long and the oldest window", async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    scene.agency.catalogue.add(recent("a"));
    scene.agency.fail(() => ({ kind: "late", until }));
    const before = await counted();
    for (let i = 0; i <= PLACES; i += 1) await makeDue((await scheduled()).schedule);
    await expect.poll(() => metric("schedules_due"), POLL).toBe(1);
    expect(await metric("schedules_late")).toBe(1);
    const age = (await metric("schedule_last_whole_age_seconds")) ?? 0;
    expect(Math.floor(age / DAY_S)).toBe(3);
    resolve();
    await expect.poll(() => since(before), POLL).toEqual([PLACES + 1, 0, 0, 0]);
    expect([await metric("schedules_due"), await metric("schedules_late")]).toEqual([0, 0]);
    expect(await metric("schedule_last_whole_age_seconds")).toBeLessThan(DAY_S);
  });
});

describe("a schedule by a shape", () => {
  const SQUARE = squareOf(170, -45, 175, -40);
  const LARGER = squareOf(170, -45, 180, -40);
  const INSIDE = ["in 171", "in 172", "in 173", "in 174", "in 175"];

  /** The agency has five inside of the square, and one beside it. */
  async function scheduledBy(settings: object) {
    geonet.serve(
      ...INSIDE.map((id) => recent(id, 0, { longitude: Number(id.slice(3)) })),
      recent("out", 0, { longitude: 178 }),
    );
    const made = await scheduled({ agency: geonet.id, ...settings });
    return { ...made, run: () => run(made.schedule) };
  }

  test("that is a polygon imports what lies in it, and counts nothing else", async () => {
    const polygon = wktOf(SQUARE);
    const { catalogue, schedule, run } = await scheduledBy({ polygon });
    expect(resultOf(await run())).toMatchObject({ totalFetched: 5, newEvents: 5 });
    expect(await idsIn(catalogue)).toEqual(INSIDE);
    expect(resultOf(await run())).toMatchObject({ newEvents: 0, updatedEvents: 0 });
    expect(await scheduleOf(editor, schedule)).toMatchObject({ polygon });
  });

  test("reads the whole window once after its region is changed, withdraws within it alone, and leaves what a smaller one has no more", async () => {
    const region = await newRegion(editor, SQUARE);
    const { catalogue, schedule, run } = await scheduledBy({ region, withdrawn: "remove" });
    await run();
    expect(await idsIn(catalogue)).toEqual(INSIDE);
    const isWhole = async () => (await scheduleOf(editor, schedule)).last_whole !== null;
    expect(await isWhole()).toBe(true);
    await redraw(editor, region, LARGER);
    expect(await isWhole()).toBe(false);
    expect(resultOf(await run())).toMatchObject({ newEvents: 1 });
    expect(await idsIn(catalogue)).toEqual([...INSIDE, "out"]);
    expect(await isWhole()).toBe(true);
    const before = geonet.agency.requests.length;
    await run();
    expect(geonet.agency.requests[before]?.parameters).toHaveProperty("updatedafter");

    await redraw(editor, region, SQUARE);
    expect(resultOf(await run())).not.toHaveProperty("withdrawnEvents");
    expect(await idsIn(catalogue)).toEqual([...INSIDE, "out"]);
    geonet.agency.catalogue.replace("in 171", null);
    geonet.agency.catalogue.replace("out", null);
    await redraw(editor, region, squareOf(170, -45, 175.1, -40));
    expect(resultOf(await run())).toMatchObject({ withdrawnEvents: 1 });
    expect(await idsIn(catalogue)).toEqual([...INSIDE.slice(1), "out"]);
  });

  test("fails where its region was deleted while it was made, and says so", async () => {
    const region = await newRegion(editor, SQUARE);
    const { catalogue, schedule, run } = await scheduledBy({ region });
    const client = await database();
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

describe("an event that the agency has no more", () => {
  const NAMES = ["a", "b", "c", "d", "e", "f"];
  type Diff = {
    readonly added: number;
    readonly updated: number;
    readonly removed: number;
    readonly changes: { change: string; event: Record<string, unknown> }[];
  };

  /** A public catalogue that a schedule has filled, and from whose agency one event is gone since. */
  async function afterWithdrawalOf(name: string, withdrawn: "mark" | "remove") {
    seiscomp.serve(...NAMES.map((one, i) => recent(one, i, { magnitude: i })));
    const made = await scheduled({ agency: seiscomp.id, withdrawn });
    await run(made.schedule);
    const path = `/api/catalogues/${made.catalogue}`;
    const feed = await followEvents(`${service.url}${path}/feed`);
    onTestFinished(feed.close);
    seiscomp.agency.catalogue.replace(name, null);
    const job = await run(made.schedule);
    expect(job).toMatchObject({ status: "succeeded" });
    const { version } = resultOf(job);
    const { body: diff } = await guest.get<Diff>(`${path}/versions/${version}/diff`);
    return { ...made, path, feed, version, diff };
  }

  test("is removed in the difference of versions, the feed and the history; what the agency rejects goes too", async () => {
    const { path, feed, version, diff, catalogue, schedule } = await afterWithdrawalOf(
      "c",
      "remove",
    );
    expect(diff).toMatchObject({
      ...{ added: 0, updated: 0, removed: 1 },
      changes: [{ change: "removed", event: { source_id: "c", magnitude: 2 } }],
    });
    type Versions = { versions: { version: number; cause: string; removed: number }[] };
    const { versions } = (await guest.get<Versions>(`${path}/versions`)).body;
    expect(versions[0]).toMatchObject({ version, cause: "import", removed: 1 });
    const [message] = await feed.take(1);
    expect(message).toMatchObject({ id: `${version}.1`, action: "delete" });
    expect(message?.data?.properties).toMatchObject({ version, catalogue });
    expect(message?.data?.geometry?.coordinates).toEqual([173, -42, -10]);

    await run(schedule);
    const runs = await historyOf(editor, catalogue);
    expect(runs.map((one) => [one.new_events, one.withdrawn_events])).toEqual([
      [0, undefined],
      [0, 1],
      [6, undefined],
    ]);

    const events = seiscomp.agency.catalogue.events();
    const present = events.find(({ row }) => row["source_id"] === "d");
    const row = { ...present?.row, evaluation_status: "rejected" };
    seiscomp.agency.catalogue.replace("d", { row, updatedMs: Date.now() });
    // Its list does not tell. One of five is no more than a fifth.
    const results: unknown[] = [];
    for (let i = 0; i < 3; i += 1) results.push(resultOf(await run(schedule)).withdrawnEvents);
    expect(results).toContain(1);
    expect(await idsIn(catalogue)).toEqual(["a", "b", "e", "f"]);
    const state = await scheduleOf(editor, schedule);
    expect(state.last_whole).not.toBeNull();
  });

  test("is updated in the difference and the feed where it is marked", async () => {
    const { feed, version, diff } = await afterWithdrawalOf("d", "mark");
    expect(diff).toMatchObject({ added: 0, updated: 1, removed: 0 });
    const [change] = diff.changes;
    expect(change?.event).toMatchObject({ extra: { withdrawn_at: expect.stringMatching(/Z$/) } });
    expect(await feed.take(1)).toMatchObject([{ id: `${version}.1`, action: "update" }]);
  });

  test("is withheld with others where that is too much: the run writes the rest, says so, and has not failed", async () => {
    const { schedule, catalogue } = await afterWithdrawalOf("c", "remove");
    for (const name of ["a", "b"]) seiscomp.agency.catalogue.replace(name, null);
    seiscomp.agency.catalogue.add(recent("g", 7));
    const withholding = { failures: 0, error: expect.stringContaining("has 2 of its") };
    for (const newEvents of [1, 0]) {
      const job = await run(schedule);
      expect(job).toMatchObject({ status: "succeeded", result: { newEvents, withheld: 2 } });
      const state = await scheduleOf(editor, schedule);
      expect(state).toMatchObject({ ...withholding, last_whole: state.last_run });
      expect(await waitOf(schedule)).toBe(HOUR_MS);
      const [record] = await historyOf(editor, catalogue);
      expect(record).toMatchObject({ new_events: newEvents, withheld: 2, errors: null });
      expect(await idsIn(catalogue)).toEqual(["a", "b", "d", "e", "f", "g"]);
    }
    const third = await run(schedule);
    expect(third).toMatchObject({ status: "succeeded", result: { withdrawnEvents: 2 } });
    expect(third.result).not.toHaveProperty("withheld");
    expect(await scheduleOf(editor, schedule)).toMatchObject({ failures: 0, error: null });
    expect(await idsIn(catalogue)).toEqual(["d", "e", "f", "g"]);
  });
});
