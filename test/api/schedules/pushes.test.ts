import { randomUUID } from "node:crypto";
import pg from "pg";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Agency } from "#contracts/http/imports.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { findSchedule } from "#projections/read/schedules.ts";
import { openPushes } from "#services/gateway/start.ts";
import { makeScheduleCommand } from "#services/imports/schedules.ts";
import {
  emscMessage,
  type PushServer,
  startPushServer,
} from "../../support/agency/life/push-server.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { eventsOf, historyOf, useAgency } from "../../support/api/imports.ts";
import { endOf } from "../../support/api/operations.ts";
import { newRegion, squareOf } from "../../support/api/regions.ts";
import { newSchedule, scheduleOf } from "../../support/api/schedules.ts";
import { createdFrom } from "../../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../../support/catalogues/use-catalogues.ts";
import { silentLogger } from "../../support/logger.ts";
import { NO_REGIONS } from "../../support/no-regions.ts";
import { sharedService } from "../../support/service.ts";

const MINUTE_MS = 60_000;
/** The service promises 5 s, which other load may lengthen. */
const SOON = { timeout: 60_000, interval: 50 };
const PLAIN = {
  everyMinutes: 60,
  lookbackHours: 48,
  detail: "full",
  withdrawn: "keep",
  ...{ updateExisting: true, paused: false, pausedBecause: null },
  filters: {
    ...{ minMagnitude: null, maxMagnitude: null, minDepth: null, maxDepth: null },
    ...{ minLatitude: null, maxLatitude: null, minLongitude: null, maxLongitude: null },
  },
} as const;

const service = sharedService();
const scene = useAgency(service, { dialect: "emsc", picks: 3 }, { dialect: "emsc" });
const editor = service.client("editor");
const admin = service.client("admin");
let server: PushServer;

beforeAll(async () => {
  server = await startPushServer();
  const path = `/api/agencies/${scene.id}`;
  expect((await admin.send("PATCH", path, { push: server.url })).status).toBe(200);
});
afterAll(() => server.close());
beforeEach(() => scene.serve());

let count = 0;
function newId(): string {
  count += 1;
  return `20261126_${String(count).padStart(7, "0")}`;
}

/** An event of an hour ago. */
function recent(id: string, row: JsonObject = {}, updatedMs = Date.now()): ServedEvent {
  const time = new Date(Date.now() - 60 * MINUTE_MS).toISOString();
  const place = { latitude: -42, longitude: 173, depth: 10, region: "NEW ZEALAND" };
  const magnitude = { magnitude: 3, magnitude_type: "ML" };
  return {
    row: { source_id: id, time, ...place, ...magnitude, event_type: "earthquake", ...row },
    updatedMs,
  };
}

const push = (after: ServedEvent) => server.tell({ before: null, after });
const update = (after: ServedEvent) => server.tell({ before: after, after });

/** A schedule of the test's agency that is heard, for a catalogue of its own; it ends with the test. */
async function heard(settings: Readonly<Record<string, unknown>> = {}, client = editor) {
  const { id: catalogue } = await createCatalogue(client, { events: [] });
  const asked = { agency: scene.id, push: true, ...settings };
  const schedule = await newSchedule(client, catalogue, asked);
  onTestFinished(async () => {
    await admin.send("DELETE", `/api/schedules/${schedule}`);
  });
  await expect.poll(server.clients, SOON).toBe(1);
  return { catalogue, schedule };
}

const change = (schedule: string, settings: object) =>
  editor.send("PATCH", `/api/schedules/${schedule}`, settings);

async function run(schedule: string): Promise<void> {
  const path = `/api/schedules/${schedule}/run`;
  const { status, body } = await editor.send<{ operationId: string }>("POST", path);
  expect(status, JSON.stringify(body)).toBe(202);
  expect(await endOf(editor, body.operationId)).toMatchObject({ status: "succeeded" });
}

async function eventIn(catalogue: string, id: string): Promise<SeismicEvent | undefined> {
  return (await eventsOf(editor, catalogue)).get(id);
}

async function untilThere(catalogue: string, id: string, expected: object = {}): Promise<void> {
  const found = async () => (await eventIn(catalogue, id)) ?? null;
  await expect.poll(found, SOON).toMatchObject({ source_id: id, ...expected });
}

const runsOf = async (catalogue: string) => (await historyOf(editor, catalogue)).toReversed();

async function agency(): Promise<Agency | undefined> {
  const { body } = await admin.get<{ agencies: Agency[] }>("/api/agencies");
  return body.agencies.find(({ id }) => id === scene.id);
}

/** The sum of the lines of a metric of an agency. */
async function metric(name: string, id = scene.id, outcome = ""): Promise<number> {
  const answer = await fetch(`${service.url}/metrics`);
  return (await answer.text())
    .split("\n")
    .filter((line) => line.startsWith(name) && line.includes(id) && line.includes(outcome))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

test("the connection is there while a schedule wants it of an agency that is enabled, and is told of", async () => {
  const { id: catalogue } = await createCatalogue(editor, { events: [] });
  const ids = ["paused", "unwanted", "disabled", "ended"].map((name) => `${name}-${randomUUID()}`);
  const schedules: string[] = [];
  for (const id of ids) {
    const form = { id, name: "Pushing", url: scene.agency.url, dialect: "emsc", push: server.url };
    expect((await admin.send("POST", "/api/agencies", form)).status).toBe(201);
    schedules.push(await newSchedule(editor, catalogue, { agency: id, push: true }));
  }
  const since = async () => {
    const { agencies } = (await admin.get<{ agencies: Agency[] }>("/api/agencies")).body;
    return ids.map((id) => agencies.find((one) => one.id === id)?.push_since ?? null);
  };
  const areThere = async (...there: boolean[]) => {
    const told = async () => [(await since()).map((at) => at !== null), server.clients()];
    await expect.poll(told, SOON).toEqual([there, there.filter((one) => one).length]);
    for (const [i, id] of ids.entries()) {
      expect(await metric("agency_pushes_connected", id), id).toBe(there[i] ? 1 : 0);
    }
  };
  const [paused = "", unwanted = "", , ended = ""] = schedules;
  const turn = (enabled: boolean) => admin.send("PATCH", `/api/agencies/${ids[2]}`, { enabled });
  await areThere(true, true, true, true);
  await change(paused, { paused: true });
  await change(unwanted, { push: false });
  await turn(false);
  await editor.send("DELETE", `/api/schedules/${ended}`);
  await areThere(false, false, false, false);
  await change(paused, { paused: false });
  await change(unwanted, { push: true });
  await turn(true);
  await areThere(true, true, true, false);
  await editor.send("DELETE", `/api/catalogues/${catalogue}`);
  for (const id of ids)
    expect((await admin.send("DELETE", `/api/agencies/${id}`)).status).toBe(200);
  await expect.poll(server.clients, SOON).toBe(0);
});

describe("what an agency sends by itself", () => {
  // One that hears nothing, so that the connection stays from test to test.
  beforeAll(async () => {
    const { id } = await createCatalogue(editor, { events: [] });
    await newSchedule(editor, id, { agency: scene.id, push: true, minMagnitude: 9.9 });
  });

  test("is in the catalogue soon, as a run of the schedule in the name of who made it", async () => {
    const { catalogue, schedule } = await heard();
    const id = newId();
    push(recent(id, { magnitude: 4.5 }));
    await untilThere(catalogue, id, { magnitude: 4.5, depth: 10, event_type: "earthquake" });
    update(recent(id, { magnitude: 4.75, depth: -1.5 }, Date.now() + 1));
    await untilThere(catalogue, id, { magnitude: 4.75, depth: -1.5 });
    expect(await runsOf(catalogue)).toMatchObject([
      { schedule_id: schedule, new_events: 1, errors: null },
      { schedule_id: schedule, updated_events: 1, errors: null },
    ]);
    // It is no run by the schedule's clock.
    const state = { last_run: null, failures: 0, running: false };
    expect(await scheduleOf(editor, schedule)).toMatchObject(state);
  });

  test("is one run and one version where messages come together", async () => {
    const { catalogue } = await heard();
    const ids = Array.from({ length: 50 }, newId);
    for (const id of ids) push(recent(id));
    await untilThere(catalogue, ids.at(-1) ?? "");
    expect((await eventsOf(editor, catalogue)).size).toBe(50);
    expect(await runsOf(catalogue)).toMatchObject([{ new_events: 50 }]);
    const { body } = await editor.get(`/api/catalogues/${catalogue}`);
    expect(body).toMatchObject({ version: 2 });
  });

  test("goes to each schedule by its window and bounds, and updates only where it is to", async () => {
    const all = await heard();
    const strong = await heard({ minMagnitude: 4 });
    const here = await heard({ maxLatitude: -40, minLatitude: -45, lookbackHours: 2 });
    const fresh = await heard({ updateExisting: false });
    const drawn = await heard({ region: await newRegion(editor, squareOf(170, -45, 175, -40)) });
    const [weak, far, old] = [newId(), newId(), newId()];
    push(recent(weak));
    push(recent(far, { magnitude: 6, latitude: 10 }));
    const yesterday = new Date(Date.now() - 20 * 60 * MINUTE_MS).toISOString();
    push(recent(old, { magnitude: 5, time: yesterday }));
    for (const [{ catalogue }, expected] of [
      [all, [weak, far, old]],
      [strong, [far, old]],
      [drawn, [weak, old]],
      [here, [weak]],
      [fresh, [weak, far, old]],
    ] as const) {
      const ids = async () => [...(await eventsOf(editor, catalogue)).keys()].toSorted();
      await expect.poll(ids, SOON).toEqual(expected);
    }
    update(recent(weak, { magnitude: 3.25 }, Date.now() + 1));
    await untilThere(all.catalogue, weak, { magnitude: 3.25 });
    await expect.poll(async () => (await runsOf(fresh.catalogue)).length, SOON).toBe(2);
    expect((await runsOf(fresh.catalogue))[1]).toMatchObject({ skipped_events: 1 });
    expect((await eventIn(fresh.catalogue, weak))?.magnitude).toBe(3);
    expect(await runsOf(strong.catalogue)).toHaveLength(1);
  });

  test("withdraws nothing, whatever it says; hostile messages are counted and in nobody's way", async () => {
    const { catalogue } = await heard({ withdrawn: "remove" });
    const [kept, next] = [newId(), newId()];
    const connections = server.connections();
    const counted = () =>
      Promise.all(
        ["malformed", "oversize"].map((one) => metric("agency_push_messages_total", scene.id, one)),
      );
    const [malformed = 0, oversize = 0] = await counted();
    push(recent(kept));
    await untilThere(catalogue, kept);
    server.tell({ before: recent(kept), after: null });
    server.send(JSON.stringify({ action: "remove", data: { id: kept } }));
    const message = emscMessage({ before: null, after: recent(next) });
    server.send(JSON.stringify({ ...message, filler: "x".repeat(1024 * 1024) }));
    server.send("{");
    server.send(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    server.send('{"__proto__":{"action":"create"},"action":"create","data":{}}');
    const data = { id: next, geometry: 1, properties: "x" };
    server.send(JSON.stringify({ action: "create", data }));
    push(recent(next));
    await untilThere(catalogue, next);
    expect((await eventIn(catalogue, kept))?.extra).not.toHaveProperty("withdrawn_at");
    expect(await runsOf(catalogue)).toHaveLength(2);
    expect(await counted()).toEqual([malformed + 4, oversize + 1]);
    expect(server.connections()).toBe(connections);
  });

  test("changes nothing where the catalogue has what the agency said later, also after an import", async () => {
    const { catalogue, schedule } = await heard({ detail: "summary" });
    const [id, other] = [newId(), newId()];
    const before = Date.now() - 10 * MINUTE_MS;
    push(recent(id, { magnitude: 5 }, before));
    await untilThere(catalogue, id, { magnitude: 5 });
    update(recent(id, { magnitude: 4 }, before - 1_000));
    push(recent(other));
    await untilThere(catalogue, other);
    expect((await eventIn(catalogue, id))?.magnitude).toBe(5);
    scene.agency.catalogue.add(recent(id, { magnitude: 5.5 }), recent(other));
    await run(schedule);
    expect(await eventIn(catalogue, id)).toMatchObject({ magnitude: 5.5 });
    update(recent(id, { magnitude: 4 }, before - 1_000));
    await expect.poll(async () => (await runsOf(catalogue)).length, SOON).toBe(4);
    expect((await eventIn(catalogue, id))?.magnitude).toBe(5.5);
    update(recent(id, { magnitude: 6 }, before + 1_000));
    await untilThere(catalogue, id, { magnitude: 6 });
  });

  test("takes nothing away of an event that is there in full, and gives way to the agency's next bulletin", async () => {
    const { catalogue, schedule } = await heard();
    const id = newId();
    const event = { ...recent(id, { azimuthal_gap: 80, standard_error: 0.4 }), picks: 3 };
    scene.agency.catalogue.add(event);
    await run(schedule);
    const whole = await eventIn(catalogue, id);
    const path = `/api/catalogues/${catalogue}/events/${whole?.id}/bulletin`;
    type Answer = { bulletin: Record<string, unknown[]> };
    const bulletinOf = async () => (await editor.get<Answer>(path)).body.bulletin;
    const before = await bulletinOf();
    expect(before["pick"]).toHaveLength(3);
    update(recent(id, { depth: 25, magnitude: 3.5 }, Date.now() + 1));
    await untilThere(catalogue, id, { depth: 25, magnitude: 3.5, azimuthal_gap: 80 });
    const after = await bulletinOf();
    expect(after["pick"]).toEqual(before["pick"]);
    expect(after["origin"]).toEqual(expect.arrayContaining(before["origin"] ?? []));
    expect(after["origin"]).toHaveLength(2);
    // The agency has not changed what it lists: the run looks at the event all the same.
    await run(schedule);
    expect(await eventIn(catalogue, id)).toMatchObject({ depth: 10, magnitude: 3 });
    expect(await bulletinOf()).toEqual(before);
  });

  test("pauses a schedule whose maker may change the catalogue no longer", async () => {
    const maker = await newAccount(service, "editor");
    const { catalogue, schedule } = await heard({}, (await maker.signIn()).client);
    await admin.send("PATCH", `/api/users/${maker.id}`, { role: "viewer" });
    push(recent(newId()));
    await expect.poll(async () => (await scheduleOf(admin, schedule)).paused, SOON).toBe(true);
    expect((await scheduleOf(admin, schedule)).error).toMatch(/may not change the catalogue/);
    expect((await eventsOf(admin, catalogue)).size).toBe(0);
  });

  test("comes again after the connection was lost, and what was missed is repaired by a run of the schedule", async () => {
    const { catalogue, schedule } = await heard();
    const [first, missed, next] = [newId(), newId(), newId()];
    push(recent(first));
    await untilThere(catalogue, first);
    const connections = server.connections();
    scene.agency.catalogue.add(recent(first), recent(missed));
    const reconnections = await metric("agency_push_reconnections_total");
    server.disconnect();
    push(recent(missed));
    await expect.poll(server.connections, SOON).toBe(connections + 1);
    const hasMissed = async () => (await eventIn(catalogue, missed))?.source_id;
    await expect.poll(hasMissed, SOON).toBe(missed);
    expect(await metric("agency_push_reconnections_total")).toBe(reconnections + 1);
    push(recent(next));
    await untilThere(catalogue, next);
    expect((await scheduleOf(editor, schedule)).last_run).not.toBeNull();
    expect(await runsOf(catalogue)).toHaveLength(3);
  });

  test("is made up for by a whole run where a run by messages died with its process", async () => {
    const { catalogue, schedule } = await heard();
    const id = newId();
    scene.agency.catalogue.add(recent(id));
    const client = new pg.Client(service.databaseUrl);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(
      `insert into operations.schedule_states (schedule_id, catalogue_id, worker, run_id, claimed_at)
     values ($1, $2, '1234567', gen_random_uuid(), now())
     on conflict (schedule_id) do update
       set worker = '1234567', run_id = gen_random_uuid(), claimed_at = now()`,
      [schedule, catalogue],
    );
    await expect.poll(async () => (await eventIn(catalogue, id))?.source_id, SOON).toBe(id);
    const [cutOff, made] = await runsOf(catalogue);
    expect(cutOff?.errors?.at(-1)?.message).toMatch(/cut off/);
    expect(made).toMatchObject({ new_events: 1, errors: null });
  });

  // The last: the agency is left for a minute.
  test("in too many messages is left and told of, and a run is made in their place", async () => {
    const { catalogue, schedule } = await heard();
    const floods = await metric("agency_push_floods_total");
    const ids = [newId(), newId()];
    scene.agency.catalogue.add(...ids.map((id) => recent(id)));
    for (let i = 0; i < 350; i += 1) for (const id of ids) push(recent(id));
    await expect.poll(() => metric("agency_push_floods_total"), SOON).toBe(floods + 1);
    const isRun = async () => (await scheduleOf(editor, schedule)).last_run !== null;
    await expect.poll(isRun, SOON).toBe(true);
    const isThere = async () =>
      (await runsOf(catalogue)).reduce((sum, one) => sum + one.new_events, 0);
    await expect.poll(isThere, SOON).toBe(2);
    const listening = async () => [(await agency())?.push_since, server.clients()];
    await expect.poll(listening, SOON).toEqual([null, 0]);
  });
});

describe("two processes", () => {
  const catalogues = useCatalogues();

  test("of two processes one listens, and the other takes over, which makes schedules due for what was missed", async () => {
    const pushes = await startPushServer();
    onTestFinished(pushes.close);
    const { context, databaseUrl } = catalogues;
    const settings = { ...PLAIN, agency: "pushing", push: true };
    const catalogue = await createdFrom(context, []);
    const schedule = await makeScheduleCommand(context, newCommand(), catalogue, settings);
    const dueAt = async () =>
      Date.parse((await findSchedule(context.pool, schedule, SERVICE))?.next_run ?? "");
    const applied: string[] = [];
    const listen = (name: string) => {
      const { close } = openPushes({
        context,
        databaseUrl,
        agencies: {
          toHear: async () => [{ id: "pushing", address: pushes.url, userAgent: "test" }],
        },
        scheduler: {
          apply: async (_, messages) => {
            applied.push(...messages.map(({ id }) => `${id} by ${name}`));
            return "done";
          },
        },
        regions: NO_REGIONS,
        registry: new Registry(),
        logger: silentLogger(),
      });
      onTestFinished(close);
      return close;
    };
    const close = listen("first");
    await expect.poll(pushes.clients, SOON).toBe(1);
    listen("second");
    pushes.tell({ before: null, after: recent("a") });
    await expect.poll(() => applied, SOON).toEqual(["a by first"]);
    expect([pushes.connections(), (await dueAt()) > Date.now()]).toEqual([1, true]);
    await close();
    await expect.poll(() => [pushes.connections(), pushes.clients()], SOON).toEqual([2, 1]);
    await expect.poll(async () => (await dueAt()) <= Date.now(), SOON).toBe(true);
    pushes.tell({ before: null, after: recent("b") });
    await expect.poll(() => applied, SOON).toEqual(["a by first", "b by second"]);
  });
});
