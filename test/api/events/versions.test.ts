import { beforeAll, describe, expect, test } from "vitest";
import type { CatalogueVersion } from "#contracts/http/catalogue.ts";
import type { EventChange } from "#contracts/http/events/single-event.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let client: ApiClient;
let path: string;
let eventPath: string;
/** Version 1 has the event, 2 changes it, 3 adds another, 4 removes the first. */
let versions: CatalogueVersion[];

beforeAll(async () => {
  client = await service.loginAs("editor");
  const { id } = await createCatalogue(client, {
    events: [seismicEvent({ id: "a", magnitude: 1 })],
  });
  path = `/api/catalogues/${id}/events`;
  const { body } = await client.get<{ events: SeismicEvent[] }>(path);
  eventPath = `${path}/${body.events[0]?.id}`;
  await client.send("PATCH", eventPath, { magnitude: 2 });
  await client.send("POST", path, { events: [seismicEvent({ id: "b", magnitude: 9 })] });
  await client.send("DELETE", eventPath);
  const answer = await client.get<{ versions: CatalogueVersion[] }>(
    `/api/catalogues/${id}/versions`,
  );
  versions = answer.body.versions;
});

const AS_OF = [
  [1, [1]],
  [2, [2]],
  [3, [9, 2]],
  [4, [9]],
] as const;

const magnitudesAt = async (asOf: string | number, endpoint = "") => {
  const order = endpoint === "/filtered" ? "&orderBy=magnitude" : "";
  const { body, headers } = await client.get<{ events: SeismicEvent[] }>(
    `${path}${endpoint}?asOf=${asOf}${order}`,
  );
  const magnitudes = body.events.map(({ magnitude }) => magnitude ?? Number.NaN);
  return { magnitudes: magnitudes.sort((a, b) => b - a), etag: headers.get("etag") };
};

describe.each(["", "/filtered"])("…/events%s?asOf=", (endpoint) => {
  test.each(AS_OF)("%i shows the events as of that version", async (version, magnitudes) => {
    expect(await magnitudesAt(version, endpoint)).toEqual({ magnitudes, etag: `"${version}"` });
  });

  test.each(AS_OF)("the time of version %i shows it", async (version, magnitudes) => {
    const { created_at: time } = versions.find((each) => each.version === version) ?? {};
    // Times are shown in milliseconds: one later, the version is surely there.
    const later = new Date(Date.parse(time ?? "") + 1).toISOString();
    const next = versions.find((each) => each.version === version + 1);
    if (next && Date.parse(next.created_at) <= Date.parse(later)) return;
    expect((await magnitudesAt(later, endpoint)).magnitudes).toEqual(magnitudes);
  });

  test.each(["0", "5", "999999999", "99999999999999999999", "1990-01-01", "1990-01-01T00:00:00Z"])(
    "%s is before the first version or unknown: 404",
    async (asOf) => {
      expectRefusal(await client.get(`${path}${endpoint}?asOf=${asOf}`), "NOT_FOUND");
    },
  );

  test.each(["", "-1", "1.5", "v1", "NaN", "2024-02-30", "%00", "1&asOf=2", "1e0"])(
    "%j is malformed: 400",
    async (asOf) => {
      expectRefusal(
        await client.get(`${path}${endpoint}?asOf=${asOf}`),
        "VALIDATION_ERROR",
        "asOf",
      );
    },
  );
});

describe("…/events/{eventId}", () => {
  test("…/events/{eventId} is there as of the versions that have it", async () => {
    for (const [version, magnitude] of [
      [1, 1],
      [2, 2],
      [3, 2],
    ]) {
      const answer = await client.get(`${eventPath}?asOf=${version}`);
      expect(answer).toMatchObject({ status: 200, body: { event: { magnitude } } });
      expect(answer.headers.get("etag")).toBe(`"${version}"`);
    }
    expectRefusal(await client.get(`${eventPath}?asOf=4`), "NOT_FOUND");
    expectRefusal(await client.get(eventPath), "NOT_FOUND");
    expectRefusal(await client.get(`${eventPath}?asOf=x`), "VALIDATION_ERROR", "asOf");
    expectRefusal(await client.get(`${eventPath}?page=1`), "VALIDATION_ERROR", "page");
  });

  test("…/events/{eventId} has a history of what was added, updated and removed, newest first", async () => {
    const { body } = await client.get<{ history: EventChange[] }>(`${eventPath}/history`);
    expect(body.history).toMatchObject([
      { version: 4, change: "removed", event: { magnitude: 2 } },
      { version: 2, change: "updated", event: { magnitude: 2 } },
      { version: 1, change: "added", event: { magnitude: 1 } },
    ]);
    const times = new Map(versions.map(({ version, created_at }) => [version, created_at]));
    for (const { version, created_at } of body.history) expect(created_at).toBe(times.get(version));
    expectRefusal(await client.get(`${eventPath}/history?asOf=1`), "VALIDATION_ERROR", "asOf");
  });
});

describe("values come back as given", () => {
  const sent = [
    ["time", "2016-11-13T11:02:56.123456Z", "2016-11-13T11:02:56.123456Z"],
    ["time", "2016-11-13T11:02:56.100Z", "2016-11-13T11:02:56.100Z"],
    ["time", "2016-11-13T11:02:56.000000Z", "2016-11-13T11:02:56.000000Z"],
    ["time", "2016-11-13T11:02:56Z", "2016-11-13T11:02:56Z"],
    ["time", "2016-11-13T11:02:56", "2016-11-13T11:02:56Z"],
    ["time", "2016-11-14T00:02:56.5+13:00", "2016-11-13T11:02:56.5Z"],
    ["time", "1000-01-01T00:00:00Z", "1000-01-01T00:00:00Z"],
    ["magnitude", 5e-324, 5e-324],
    ["magnitude", 0.1 + 0.2, 0.1 + 0.2],
    ["magnitude", -3, -3],
    ["magnitude", 10, 10],
    ["longitude", 180, 180],
    ["longitude", -180, -180],
    ["longitude", 360, 0],
    ["longitude", 180.1, -179.9],
    ["longitude", 359.9, -0.1],
    ["latitude", 90, 90],
    ["depth", -10, -10],
    ["depth", 1000, 1000],
    ["region", "Kaikōura 地震 👨‍👩‍👧 e\u0301 \u202e", "Kaikōura 地震 👨‍👩‍👧 e\u0301 \u202e"],
    ["extra", { "": 0, ключ: ["\u2028", "\\", '"'] }, { "": 0, ключ: ["\u2028", "\\", '"'] }],
  ] as const;

  test.each(sent)("%s %j", async (attribute, given, kept) => {
    const { id } = await createCatalogue(client, {
      events: [seismicEvent({ [attribute]: given })],
    });
    const { body } = await client.get<{ events: SeismicEvent[] }>(`/api/catalogues/${id}/events`);
    expect(body.events[0]?.[attribute]).toEqual(kept);
  });

  test("-0 is 0: JSON does not tell them apart", async () => {
    const event = JSON.stringify(seismicEvent({ latitude: "MINUS" })).replace('"MINUS"', "-0");
    const body = `{"name":"zero","events":[${event}]}`;
    const { body: created } = await client.send<{ id: string }>("POST", "/api/catalogues", body);
    const answer = await client.get<{ events: SeismicEvent[] }>(
      `/api/catalogues/${created.id}/events`,
    );
    expect(answer.body.events[0]?.latitude).toBe(0);
  });
});
