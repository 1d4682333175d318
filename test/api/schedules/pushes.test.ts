import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Agency } from "#contracts/http/agencies.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  emscMessage,
  type PushServer,
  startPushServer,
} from "../../support/agency/life/push-server.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { eventsOf, historyOf, useImports } from "../import/import-scene.ts";
import { newRegion, squareOf } from "../regions/region-scene.ts";
import { newAccount } from "../support/accounts.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { whileRevisionIsOpen } from "../support/open-revision.ts";
import { endOf } from "../support/operations.ts";
import { newSchedule, scheduleOf } from "../support/schedules.ts";

const MINUTE_MS = 60_000;
const AGENCY = "pushing";
/** What the service promises; from sending to reading. */
const SOON = { timeout: 5_000, interval: 50 };
/** Of connections, which follow schedules within seconds. */
const SECONDS = { timeout: 15_000, interval: 100 };

const scene = useImports({ dialect: "emsc", picks: 3 }, { AGENCY_ALLOW_PRIVATE: "true" });
let editor: ApiClient;
let admin: ApiClient;
let server: PushServer;

beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
  admin = await scene.service.loginAs("admin");
  server = await startPushServer();
  const { url } = scene.agency;
  const settings = { id: AGENCY, name: "Pushing", url, dialect: "emsc", push: server.url };
  const { status, body } = await admin.send("POST", "/api/agencies", settings);
  expect(status, JSON.stringify(body)).toBe(201);
});
afterAll(() => server.close());
afterEach(async () => {
  for (const { row } of scene.agency.catalogue.events()) {
    scene.agency.catalogue.replace(String(row["source_id"]), null);
  }
});

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
  const asked = { agency: AGENCY, push: true, ...settings };
  const schedule = await newSchedule(client, catalogue, asked);
  onTestFinished(async () => {
    await admin.send("DELETE", `/api/schedules/${schedule}`);
  });
  await expect.poll(server.clients, SECONDS).toBe(1);
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

/** Waits for an event as long as the service may take, and no longer. */
async function untilThere(catalogue: string, id: string, expected: object = {}): Promise<void> {
  const found = async () => (await eventIn(catalogue, id)) ?? null;
  await expect.poll(found, SOON).toMatchObject({ source_id: id, ...expected });
}

const runsOf = async (catalogue: string) => (await historyOf(editor, catalogue)).toReversed();

async function agency(): Promise<Agency | undefined> {
  const { body } = await admin.get<{ agencies: Agency[] }>("/api/agencies");
  return body.agencies.find(({ id }) => id === AGENCY);
}

async function metric(name: string): Promise<number> {
  const answer = await fetch(`${scene.service.url}/metrics`);
  return (await answer.text())
    .split("\n")
    .filter((line) => line.startsWith(name))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

describe("what an agency sends by itself", () => {
  test("is in the catalogue within 5 s, as a run of the schedule in the name of who made it", async () => {
    const { catalogue, schedule } = await heard();
    const id = newId();
    push(recent(id, { magnitude: 4.5 }));
    await untilThere(catalogue, id, { magnitude: 4.5, depth: 10, event_type: "earthquake" });
    update(recent(id, { magnitude: 4.75, depth: -1.5 }, Date.now() + 1));
    await untilThere(catalogue, id, { magnitude: 4.75, depth: -1.5 });
    const [first, second, ...others] = await runsOf(catalogue);
    expect(first).toMatchObject({ schedule_id: schedule, new_events: 1, errors: null });
    expect(second).toMatchObject({ schedule_id: schedule, updated_events: 1, errors: null });
    expect(others).toEqual([]);
    // It is no run by the schedule's clock.
    const { last_run, failures, running } = await scheduleOf(editor, schedule);
    expect({ last_run, failures, running }).toEqual({
      last_run: null,
      failures: 0,
      running: false,
    });
  });

  test("is one run and one version where messages come together", async () => {
    const { catalogue } = await heard();
    const ids = Array.from({ length: 50 }, newId);
    for (const id of ids) push(recent(id));
    await untilThere(catalogue, ids.at(-1) ?? "");
    expect((await eventsOf(editor, catalogue)).size).toBe(50);
    expect(await runsOf(catalogue)).toMatchObject([{ new_events: 50 }]);
    const { body } = await editor.get<{ version: number }>(`/api/catalogues/${catalogue}`);
    expect(body.version).toBe(2);
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
    const idsOf = async ({ catalogue }: { catalogue: string }) =>
      [...(await eventsOf(editor, catalogue)).keys()].toSorted();
    await expect.poll(() => idsOf(all), SOON).toEqual([weak, far, old]);
    await expect.poll(() => idsOf(strong), SOON).toEqual([far, old]);
    await expect.poll(() => idsOf(drawn), SOON).toEqual([weak, old]);
    await expect.poll(() => idsOf(here), SOON).toEqual([weak]);
    await expect.poll(() => idsOf(fresh), SOON).toEqual([weak, far, old]);
    update(recent(weak, { magnitude: 3.25 }, Date.now() + 1));
    await untilThere(all.catalogue, weak, { magnitude: 3.25 });
    await expect.poll(async () => (await runsOf(fresh.catalogue)).length, SOON).toBe(2);
    expect((await runsOf(fresh.catalogue))[1]).toMatchObject({ skipped_events: 1 });
    expect((await eventIn(fresh.catalogue, weak))?.magnitude).toBe(3);
    expect(await runsOf(strong.catalogue)).toHaveLength(1);
  });

  test("withdraws nothing, whatever it says", async () => {
    const { catalogue } = await heard({ withdrawn: "remove" });
    const [kept, next] = [newId(), newId()];
    push(recent(kept));
    await untilThere(catalogue, kept);
    server.tell({ before: recent(kept), after: null });
    server.send(JSON.stringify({ action: "remove", data: { id: kept } }));
    push(recent(next));
    await untilThere(catalogue, next);
    expect((await eventIn(catalogue, kept))?.extra).not.toHaveProperty("withdrawn_at");
    expect(await runsOf(catalogue)).toHaveLength(2);
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
    const bulletinOf = async () =>
      (
        await editor.get<{ bulletin: Record<string, unknown[]> }>(
          `/api/catalogues/${catalogue}/events/${whole?.id}/bulletin`,
        )
      ).body.bulletin;
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

  test("waits while others change the catalogue, and is there once they have ended", async () => {
    const { catalogue } = await heard();
    const [id, other] = [newId(), newId()];
    await whileRevisionIsOpen(scene.service, catalogue, async () => {
      push(recent(id));
      await expect.poll(() => metric("agency_push_messages_total"), SOON).toBeGreaterThan(0);
      push(recent(other));
    });
    await untilThere(catalogue, id);
    await untilThere(catalogue, other);
  });

  test("pauses a schedule whose maker may change the catalogue no longer", async () => {
    const maker = await newAccount(scene.service, "editor");
    const { catalogue, schedule } = await heard({}, (await maker.signIn()).client);
    await admin.send("PATCH", `/api/users/${maker.id}`, { role: "viewer" });
    push(recent(newId()));
    await expect.poll(async () => (await scheduleOf(admin, schedule)).paused, SOON).toBe(true);
    expect((await scheduleOf(admin, schedule)).error).toMatch(/may not change the catalogue/);
    expect((await eventsOf(admin, catalogue)).size).toBe(0);
  });

  test("is followed on after hostile messages, which are counted", async () => {
    const { catalogue } = await heard();
    const id = newId();
    const connections = server.connections();
    const messages = emscMessage({ before: null, after: recent(id) });
    const before = await metric('agency_push_messages_total{agency="pushing",outcome="malformed"}');
    const large = await metric('agency_push_messages_total{agency="pushing",outcome="oversize"}');
    server.send(JSON.stringify({ ...messages, filler: "x".repeat(1024 * 1024) }));
    server.send("{");
    server.send(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    server.send('{"__proto__":{"action":"create"},"action":"create","data":{}}');
    server.send(JSON.stringify({ action: "create", data: { id, geometry: 1, properties: "x" } }));
    push(recent(id));
    await untilThere(catalogue, id);
    const malformed = 'agency_push_messages_total{agency="pushing",outcome="malformed"}';
    expect((await metric(malformed)) - before).toBe(4);
    expect(
      (await metric('agency_push_messages_total{agency="pushing",outcome="oversize"}')) - large,
    ).toBe(1);
    expect(server.connections()).toBe(connections);
    expect(await runsOf(catalogue)).toHaveLength(1);
  });
});

describe("the connection", () => {
  test("is there while a schedule wants it of an agency that is enabled, and is told of", async () => {
    await expect.poll(async () => (await agency())?.push_since, SECONDS).toBeNull();
    const { schedule } = await heard();
    await expect.poll(async () => (await agency())?.push_since, SECONDS).toMatch(/^20.*Z$/);
    expect(await metric("agency_pushes_connected")).toBe(1);
    await change(schedule, { paused: true });
    await expect.poll(server.clients, SECONDS).toBe(0);
    await expect.poll(async () => (await agency())?.push_since, SECONDS).toBeNull();
    expect(await metric("agency_pushes_connected")).toBe(0);
    await change(schedule, { paused: false });
    await expect.poll(server.clients, SECONDS).toBe(1);
    await change(schedule, { push: false });
    await expect.poll(server.clients, SECONDS).toBe(0);
    await change(schedule, { push: true });
    await expect.poll(server.clients, SECONDS).toBe(1);
    const turn = (enabled: boolean) => admin.send("PATCH", `/api/agencies/${AGENCY}`, { enabled });
    await turn(false);
    await expect.poll(server.clients, SECONDS).toBe(0);
    await turn(true);
    await expect.poll(server.clients, SECONDS).toBe(1);
    await editor.send("DELETE", `/api/schedules/${schedule}`);
    await expect.poll(server.clients, SECONDS).toBe(0);
  });

  test("comes again after it was lost, and what was missed is repaired by a run of the schedule", async () => {
    const { catalogue, schedule } = await heard();
    const [first, missed, next] = [newId(), newId(), newId()];
    push(recent(first));
    await untilThere(catalogue, first);
    const connections = server.connections();
    scene.agency.catalogue.add(recent(first), recent(missed));
    const reconnections = await metric("agency_push_reconnections_total");
    server.disconnect();
    push(recent(missed));
    await expect.poll(server.connections, SECONDS).toBe(connections + 1);
    const hasMissed = async () => (await eventIn(catalogue, missed))?.source_id;
    await expect.poll(hasMissed, SECONDS).toBe(missed);
    expect(await metric("agency_push_reconnections_total")).toBe(reconnections + 1);
    push(recent(next));
    await untilThere(catalogue, next);
    expect((await scheduleOf(editor, schedule)).last_run).not.toBeNull();
    expect(await runsOf(catalogue)).toHaveLength(3);
  });
});

test("a run by messages that died with its process is made again as a whole run", async () => {
  const { catalogue, schedule } = await heard();
  const id = newId();
  scene.agency.catalogue.add(recent(id));
  const client = new pg.Client(scene.service.databaseUrl);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(
    `insert into operations.schedule_states (schedule_id, catalogue_id, worker, run_id, claimed_at)
     values ($1, $2, '1234567', gen_random_uuid(), now())
     on conflict (schedule_id) do update
       set worker = '1234567', run_id = gen_random_uuid(), claimed_at = now()`,
    [schedule, catalogue],
  );
  await expect.poll(async () => (await eventIn(catalogue, id))?.source_id, SECONDS).toBe(id);
  const [cutOff, made] = await runsOf(catalogue);
  expect(cutOff?.errors?.at(-1)?.message).toMatch(/cut off/);
  expect(made).toMatchObject({ new_events: 1, errors: null });
});

// The last: the agency is left for a minute.
test("an agency that sends too many messages is left and told of, and a run is made in their place", async () => {
  const { catalogue, schedule } = await heard();
  const floods = await metric("agency_push_floods_total");
  const ids = Array.from({ length: 700 }, newId);
  scene.agency.catalogue.add(...ids.map((id) => recent(id)));
  for (const id of ids) push(recent(id));
  await expect.poll(() => metric("agency_push_floods_total"), SECONDS).toBe(floods + 1);
  const isRun = async () => (await scheduleOf(editor, schedule)).last_run !== null;
  await expect.poll(isRun, SECONDS).toBe(true);
  const isThere = async () =>
    (await runsOf(catalogue)).reduce((sum, run) => sum + run.new_events, 0);
  await expect.poll(isThere, SECONDS).toBe(700);
  expect(await agency()).toMatchObject({ push_since: null });
  expect(server.clients()).toBe(0);
});
