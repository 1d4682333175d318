import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../../support/api-client.ts";
import { followEvents } from "../../support/feed-client.ts";
import { sharedService } from "../../support/service.ts";
import { restricted } from "../rights/rights-scene.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";
import { newRegion, SQUARE, squareOf, wktOf } from "./region-scene.ts";

const service = sharedService();
let editor: ApiClient;
let guest: ApiClient;
/** A public catalogue, and a region that has three of its five events. */
let catalogue: string;
let region: string;
let path: string;
beforeAll(async () => {
  editor = await service.loginAs("editor");
  guest = createApiClient(service.url);
  ({ id: catalogue } = await createCatalogue(editor, { is_public: true, events: EVENTS }));
  path = `/api/catalogues/${catalogue}`;
  region = await newRegion(editor, SQUARE);
});

const EVENTS = [
  eventAt("inside", 5, 5),
  eventAt("on an edge", 10, 5),
  eventAt("at a corner", 0, 0),
  eventAt("outside", 10.000000001, 5),
  eventAt("far away", -170, -60),
];
const THERE = ["at a corner", "inside", "on an edge"];

function eventAt(id: string, longitude: number, latitude: number) {
  return seismicEvent({ source_id: id, longitude, latitude });
}

/** The same place as a saved region, and as a polygon. */
const asked = (): readonly string[] => [
  `region=${region}`,
  `polygon=${encodeURIComponent(wktOf(SQUARE))}`,
];

type Events = { readonly events: readonly SeismicEvent[] };
const idsOf = ({ body }: ApiAnswer<Events>) => body.events.map((one) => one.source_id).sort();

describe("of the events in a region or a polygon, edges too, there are", () => {
  test("lists", async () => {
    for (const query of asked()) {
      expect(idsOf(await guest.get(`${path}/events/filtered?${query}`))).toEqual(THERE);
    }
  });

  test("exports", async () => {
    for (const query of asked()) {
      const answer = await editor.get<Events>(`${path}/export?format=json&${query}`);
      expect(idsOf(answer)).toEqual(THERE);
      expect(answer.headers.get("x-export-event-count")).toBe("3");
    }
  });

  test("columns", async () => {
    for (const query of asked()) {
      const answer = await guest.get<{ count: number }>(`${path}/events/columns?${query}`, {
        accept: "application/json",
      });
      expect(answer.body.count).toBe(3);
    }
  });

  test("differences of versions", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS.slice(4) });
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: EVENTS.slice(0, 4) });
    for (const query of asked()) {
      const diff = `/api/catalogues/${id}/versions/2/diff?from=1&${query}`;
      expect((await editor.get(diff)).body).toMatchObject({ added: 3, updated: 0, removed: 0 });
    }
  });

  test("analyses and plots, which tell by what", async () => {
    for (const query of asked()) {
      const { body } = await guest.get<{ input: object; filters: object }>(
        `${path}/analytics/summary?${query}`,
      );
      expect(body.input).toMatchObject({ events: 3 });
      expect(Object.keys(body.filters)).toEqual([query.replace(/=.*/, "")]);
      expect((await guest.get(`${path}/analytics/rates.svg?${query}`)).status).toBe(200);
    }
  });

  test("answers of the event service, at every address", async () => {
    const { body } = await editor.send<{ address: string; share: { url: string } }>(
      "POST",
      `${path}/shares`,
      {},
    );
    const shared = new URL(JSON.stringify(body).match(/https?:[^"]*share[^"]*/)?.[0] ?? "");
    const bases = [path, `${path}/versions/1`, shared.pathname.replace(/\/$/, "")];
    for (const query of asked()) {
      for (const base of bases) {
        const service = `${base}/fdsnws/event/1`;
        expect((await guest.get(`${service}/count?${query}`)).body).toBe("3");
        const text = await guest.get<string>(`${service}/query?format=text&${query}`);
        expect(text.body.trim().split("\n")).toHaveLength(4);
      }
      const root = `/fdsnws/event/1/count?catalog=${catalogue}&${query}`;
      expect((await guest.get(root)).body).toBe("3");
      const list = `${shared.pathname}/events/filtered?${query}`;
      expect(idsOf(await guest.get(list))).toEqual(THERE);
    }
  });

  test("messages of the feed", async () => {
    for (const query of asked()) {
      const { id } = await createCatalogue(editor, { is_public: true, events: [] });
      const feed = await followEvents(`${service.url}/api/catalogues/${id}/feed?${query}`);
      onTestFinished(feed.close);
      await editor.send("POST", `/api/catalogues/${id}/events`, { events: EVENTS });
      const messages = await feed.take(3);
      const places = messages.map(({ data }) => data?.geometry?.coordinates.slice(0, 2));
      expect(places.sort()).toEqual([
        [0, 0],
        [10, 5],
        [5, 5],
      ]);
    }
  });

  test("results of declustering, duplicates and conversions, by bodies", async () => {
    const body = { method: "gardner-knopoff", region };
    const { body: labelled } = await editor.send<{ input: object; filters: object }>(
      "POST",
      `${path}/analytics/decluster`,
      body,
    );
    expect(labelled).toMatchObject({ input: { events: 3 }, filters: { region } });
    const thresholds = { timeThreshold: 1, distanceThreshold: 1 };
    const duplicates = await editor.send<{ groups: unknown[] }>("POST", `${path}/duplicates`, {
      ...thresholds,
      filters: { region },
    });
    expect(duplicates.status, JSON.stringify(duplicates.body)).toBe(200);
  });
});

test("both a region and a polygon hold where both are given, and so do the other filters", async () => {
  const west = encodeURIComponent(wktOf(squareOf(-1, -1, 6, 6)));
  const query = `region=${region}&polygon=${west}`;
  expect(idsOf(await guest.get(`${path}/events/filtered?${query}`))).toEqual([
    "at a corner",
    "inside",
  ]);
  expect(idsOf(await guest.get(`${path}/events/filtered?${query}&minLatitude=1`))).toEqual([
    "inside",
  ]);
});

describe("what names no region is refused", () => {
  const unknown = randomUUID();

  test.each([
    ["lists", "/events/filtered"],
    ["exports", "/export"],
    ["columns", "/events/columns"],
    ["analyses", "/analytics/summary"],
    ["plots", "/analytics/rates.svg"],
    ["feeds", "/feed"],
    ["differences", "/versions/1/diff"],
    ["citations", "/versions/1/citation"],
  ])("by %s", async (_, below) => {
    const refused = await editor.get(`${path}${below}?region=${unknown}`);
    const { details } = expectRefusal(refused, "VALIDATION_ERROR", "region");
    expect(details?.map(({ field }) => field)).toEqual(["region"]);
    expectRefusal(await editor.get(`${path}${below}?region=here`), "VALIDATION_ERROR", "region");
  });

  test("by bodies", async () => {
    const body = { method: "gardner-knopoff", region: unknown };
    const answer = await editor.send("POST", `${path}/analytics/decluster`, body);
    expectRefusal(answer, "VALIDATION_ERROR", "region");
  });

  test("by the event service, in its own words", async () => {
    for (const value of [unknown, "here"]) {
      const answer = await guest.get<string>(`${path}/fdsnws/event/1/query?region=${value}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatch(/^Error 400.*region/s);
    }
  });
});

test("a polygon that is none is refused with the character where it goes wrong", async () => {
  const wrong = encodeURIComponent("POLYGON ((0 0, 1 0, 1 x, 0 0))");
  const refused = await guest.get(`${path}/events/filtered?polygon=${wrong}`);
  expectRefusal(refused, "VALIDATION_ERROR", "23");
  const answer = await guest.get<string>(`${path}/fdsnws/event/1/query?polygon=${wrong}`);
  expect(answer.status).toBe(400);
  expect(answer.body).toContain("polygon: a number expected");
});

test("a region opens no catalogue that is closed, and tells of none", async () => {
  const { id } = await restricted(editor, { events: EVENTS });
  const closed = await guest.get(`/api/catalogues/${id}/events/filtered?region=${region}`);
  expectRefusal(closed, "NOT_FOUND");
  const viewer = await service.loginAs("viewer");
  const hidden = await viewer.get(`/api/catalogues/${id}/events/filtered?region=${region}`);
  expectRefusal(hidden, "NOT_FOUND");
  expect(idsOf(await editor.get(`/api/catalogues/${id}/events/filtered?region=${region}`))).toEqual(
    THERE,
  );
});

test("a description of the event service names both parameters", async () => {
  const { body } = await guest.get<string>(`${path}/fdsnws/event/1/application.wadl`);
  expect(body).toContain('name="polygon"');
  expect(body).toContain('name="region"');
});
