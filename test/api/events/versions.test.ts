import { beforeAll, expect, test } from "vitest";
import type { CatalogueVersion } from "#contracts/http/catalogue.ts";
import type { EventChange } from "#contracts/http/events/single-event.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const client = clientOf(service, "editor");
/** Version 1 has the event, 2 changes it, 3 adds another, 4 removes the first. */
let events: string;
let path: string;
let versions: CatalogueVersion[];
/** The magnitudes of each version. */
const AS_OF = [[], [1], [2], [9, 2], [9]];

beforeAll(async () => {
  const one = await oneEvent(client, seismicEvent({ id: "a", magnitude: 1 }));
  ({ events, path } = one);
  await one.change({ magnitude: 2 });
  await one.add({ events: [seismicEvent({ id: "b", magnitude: 9 })] });
  await one.send("DELETE", "");
  const list = `${one.catalogue}/versions`;
  ({ versions } = (await client.get<{ versions: CatalogueVersion[] }>(list)).body);
});

test("lists show the events as of a version or its time", async () => {
  const magnitudesAt = async (asOf: string | number, list: string) => {
    const answer = await client.get<{ events: SeismicEvent[] }>(`${events}${list}?asOf=${asOf}`);
    const magnitudes = answer.body.events.map(({ magnitude }) => Number(magnitude));
    return { magnitudes: magnitudes.sort((a, b) => b - a), etag: answer.headers.get("etag") };
  };
  for (const list of ["", "/filtered"]) {
    for (const { version, created_at } of versions) {
      const magnitudes = AS_OF[version];
      const shown = { magnitudes, etag: `"${version}"` };
      expect(await magnitudesAt(version, list)).toEqual(shown);
      // Times are shown in milliseconds: one later, the version is surely there.
      const later = new Date(Date.parse(created_at) + 1).toISOString();
      const next = versions.find((each) => each.version === version + 1);
      if (next && Date.parse(next.created_at) <= Date.parse(later)) continue;
      expect((await magnitudesAt(later, list)).magnitudes).toEqual(magnitudes);
    }
    for (const asOf of [
      ...["0", "5", "999999999", "99999999999999999999", "1990-01-01", "1990-01-01T00:00:00Z"],
    ]) {
      expectRefusal(await client.get(`${events}${list}?asOf=${asOf}`), "NOT_FOUND");
    }
    for (const asOf of ["", "-1", "1.5", "v1", "NaN", "2024-02-30", "%00", "1&asOf=2", "1e0"]) {
      expectRefusal(await client.get(`${events}${list}?asOf=${asOf}`), "VALIDATION_ERROR", "asOf");
    }
  }
});

test("an event is there as of the versions that have it, and has a history of its changes, newest first", async () => {
  for (const [version, magnitude] of [
    [1, 1],
    [2, 2],
    [3, 2],
  ]) {
    const answer = await client.get(`${path}?asOf=${version}`);
    expect(answer).toMatchObject({ status: 200, body: { event: { magnitude } } });
    expect(answer.headers.get("etag")).toBe(`"${version}"`);
  }
  expectRefusal(await client.get(`${path}?asOf=4`), "NOT_FOUND");
  expectRefusal(await client.get(path), "NOT_FOUND");
  const { history } = (await client.get<{ history: EventChange[] }>(`${path}/history`)).body;
  expect(history).toMatchObject([
    { version: 4, change: "removed", event: { magnitude: 2 } },
    { version: 2, change: "updated", event: { magnitude: 2 } },
    { version: 1, change: "added", event: { magnitude: 1 } },
  ]);
  const times = new Map(versions.map(({ version, created_at }) => [version, created_at]));
  for (const { version, created_at } of history) expect(created_at).toBe(times.get(version));
  for (const [query, parameter] of [
    ["?asOf=x", "asOf"],
    ["?page=1", "page"],
    ["/history?asOf=1", "asOf"],
  ] as const) {
    expectRefusal(await client.get(`${path}${query}`), "VALIDATION_ERROR", parameter);
  }
});

test("values come back as given", async () => {
  const text = "Kaikōura 地震 👨‍👩‍👧 e\u0301 \u202e";
  const extra = { "": 0, ключ: ["\u2028", "\\", '"'] };
  const values: readonly (readonly [keyof SeismicEvent, unknown, unknown?])[] = [
    ["time", "2016-11-13T11:02:56.123456Z"],
    ["time", "2016-11-13T11:02:56.100Z"],
    ["time", "2016-11-13T11:02:56.000000Z"],
    ["time", "2016-11-13T11:02:56Z"],
    ["time", "2016-11-13T11:02:56", "2016-11-13T11:02:56Z"],
    ["time", "2016-11-14T00:02:56.5+13:00", "2016-11-13T11:02:56.5Z"],
    ["time", "1000-01-01T00:00:00Z"],
    ["magnitude", 5e-324],
    ["magnitude", 0.1 + 0.2],
    ["magnitude", -3],
    ["magnitude", 10],
    ["longitude", 180],
    ["longitude", -180],
    ["longitude", 360, 0],
    ["longitude", 180.1, -179.9],
    ["longitude", 359.9, -0.1],
    ["latitude", 90],
    // JSON does not tell it apart from 0.
    ["latitude", "-0", 0],
    ["depth", -10],
    ["depth", 1000],
    ["region", text],
    ["extra", extra],
  ];
  const submitted = values.map(([name, given], i) => seismicEvent({ id: `v${i}`, [name]: given }));
  const body = JSON.stringify({ name: "values", events: submitted }).replace('"-0"', "-0");
  const created = await client.send<{ id: string }>("POST", "/api/catalogues", body);
  const list = `/api/catalogues/${created.body.id}/events`;
  const shown = (await client.get<{ events: SeismicEvent[] }>(list)).body.events;
  for (const [i, [name, given, kept = given]] of values.entries()) {
    const event = shown.find(({ source_id }) => source_id === `v${i}`);
    expect(event?.[name], `${name} ${given}`).toEqual(kept);
  }
});
