import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { seisplotjs } from "../support/clients/seisplotjs.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { awkwardEvents } from "./support/events.ts";

const { fdsnevent, luxon } = seisplotjs;
const service = await useReachableService();
const EVENTS = awkwardEvents(30);
const LATER = EVENTS.slice(20);
let host = "";
let updated = "";

beforeAll(async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    name: "Browser",
    events: EVENTS.slice(0, 20),
    is_public: true,
  });
  await editor.send("POST", `/api/catalogues/${id}/events`, { events: LATER });
  const { body } = await editor.get<{ versions: { version: number; created_at: string }[] }>(
    `/api/catalogues/${id}/versions`,
  );
  updated = body.versions.find(({ version }) => version === 1)?.created_at ?? "";
  host = `${new URL(service.url).host}/api/catalogues/${id}`;
});

const byTime = (events: readonly { readonly time: string }[]) =>
  events.map(({ time }) => Date.parse(time)).toSorted((a, b) => a - b);

const query = () => new fdsnevent.EventQuery(host);

describe("seisplotjs' EventQuery", () => {
  test("reads all events of a catalogue, each with its place and size", async () => {
    const quakes = await query().minLat(-90).orderBy("time-asc").query();
    expect(quakes.map(({ time }) => time.toMillis())).toEqual(byTime(EVENTS));
    for (const [i, quake] of quakes.entries()) {
      const { latitude, longitude, depth, magnitude } = EVENTS[i] ?? {};
      expect([quake.latitude, quake.longitude]).toEqual([latitude, longitude]);
      if (depth !== null) expect(quake.depthKm).toBeCloseTo(depth ?? 0, 9);
      if (magnitude !== null) expect(quake.magnitude?.mag).toBe(magnitude);
      expect(quake.description).not.toBe("");
    }
  });

  test("selects by size, depth, box and time, and takes no answer for no events", async () => {
    const wide = query().minMag(5).maxMag(6.5).minDepth(-2).maxDepth(700).minLat(-90).maxLat(90);
    const inRange = EVENTS.filter(
      ({ magnitude, depth }) =>
        magnitude !== null && magnitude >= 5 && magnitude <= 6.5 && depth !== null,
    );
    expect(await wide.query()).toHaveLength(inRange.length);
    expect(await query().minMag(9.5).query()).toEqual([]);
    const start = luxon.DateTime.fromISO("2016-01-01T00:00:00Z", { zone: "utc" });
    const since = EVENTS.filter(({ time }) => time >= "2016-01-01");
    expect(await query().startTime(start).query()).toHaveLength(since.length);
  });

  test("gives its updatedAfter in any zone", async () => {
    for (const zone of ["utc", "Pacific/Auckland", "America/St_Johns"]) {
      const after = luxon.DateTime.fromISO(updated, { zone });
      const quakes = await query().updatedAfter(after).query();
      expect([zone, quakes.length]).toEqual([zone, LATER.length]);
    }
  });

  test("finds an event by the id that it takes from its public id", async () => {
    const [quake] = await query().limit(1).query();
    const again = await query()
      .eventId(quake?.eventId ?? "")
      .query();
    expect(again.map(({ time }) => time.toMillis())).toEqual([quake?.time.toMillis()]);
  });

  test("lists catalogs and contributors, and the version", async () => {
    expect(await query().queryCatalogs()).toEqual(["Browser"]);
    expect(await query().queryContributors()).toEqual(["GFZ", "NEIC", "WEL"]);
    expect(await query().queryVersion()).toBe("1.2.0");
  });
});
