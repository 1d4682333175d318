import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Duplicates } from "#contracts/http/events.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { newRegion, SQUARE, squareOf, wktOf } from "../../support/api/regions.ts";
import type { ApiAnswer } from "../../support/api-client.ts";
import { followEvents } from "../../support/feed-client.ts";
import { sharedService } from "../../support/service.ts";
import { restricted } from "../rights/rights-scene.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");
/** A public catalogue, and a region that has three of its five events. */
let catalogue: string;
let region: string;
let path: string;
beforeAll(async () => {
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
  test("lists, exports, columns, analyses and plots, which tell by what, and differences of versions", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS.slice(4) });
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: EVENTS.slice(0, 4) });
    for (const query of asked()) {
      expect(idsOf(await guest.get(`${path}/events/filtered?${query}`))).toEqual(THERE);
      const exported = await editor.get<Events>(`${path}/export?format=json&${query}`);
      expect(idsOf(exported)).toEqual(THERE);
      expect(exported.headers.get("x-export-event-count")).toBe("3");
      const json = { accept: "application/json" };
      const columns = await guest.get<object>(`${path}/events/columns?${query}`, json);
      expect(columns.body).toMatchObject({ count: 3 });
      const summary = `${path}/analytics/summary?${query}`;
      const { body } = await guest.get<{ input: object; filters: object }>(summary);
      expect(body.input).toMatchObject({ events: 3 });
      expect(Object.keys(body.filters)).toEqual([query.replace(/=.*/, "")]);
      expect((await guest.get(`${path}/analytics/rates.svg?${query}`)).status).toBe(200);
      const diff = `/api/catalogues/${id}/versions/2/diff?from=1&${query}`;
      expect((await editor.get(diff)).body).toMatchObject({ added: 3, updated: 0, removed: 0 });
    }
  });

  test("answers of the event service, at every address", async () => {
    const { body } = await editor.send<{ share: { url: string } }>("POST", `${path}/shares`, {});
    const shared = new URL(body.share.url);
    const bases = [path, `${path}/versions/1`, shared.pathname];
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

  test("results of declustering and duplicates, by bodies", async () => {
    const body = { method: "gardner-knopoff", region };
    const labelled = await editor.send("POST", `${path}/analytics/decluster`, body);
    expect(labelled.body).toMatchObject({ input: { events: 3 }, filters: { region } });
    const thresholds = { timeThreshold: 1, distanceThreshold: 999 };
    const groupsOf = async (filters: object) => {
      const form = { ...thresholds, filters };
      const answer = await editor.send<Duplicates>("POST", `${path}/duplicates`, form);
      return answer.body.groups.map(({ members }) => members.map((one) => one.source_id).sort());
    };
    expect(await groupsOf({ region })).toEqual([["inside", "on an edge"]]);
    expect(await groupsOf({})).toEqual([["inside", "on an edge", "outside"]]);
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

test("what names no region, or is no polygon, is refused with what is wrong", async () => {
  const unknown = randomUUID();
  for (const below of [
    ...["/events/filtered", "/export", "/events/columns", "/analytics/summary"],
    ...["/analytics/rates.svg", "/feed", "/versions/1/diff", "/versions/1/citation"],
  ]) {
    const refused = await editor.get(`${path}${below}?region=${unknown}`);
    const { details } = expectRefusal(refused, "VALIDATION_ERROR", "region");
    expect(details?.map(({ field }) => field)).toEqual(["region"]);
    expectRefusal(await editor.get(`${path}${below}?region=here`), "VALIDATION_ERROR", "region");
  }
  const body = { method: "gardner-knopoff", region: unknown };
  const decluster = await editor.send("POST", `${path}/analytics/decluster`, body);
  expectRefusal(decluster, "VALIDATION_ERROR", "region");
  const wrong = encodeURIComponent("POLYGON ((0 0, 1 0, 1 x, 0 0))");
  const list = await guest.get(`${path}/events/filtered?polygon=${wrong}`);
  expectRefusal(list, "VALIDATION_ERROR", "23");
  for (const [query, words] of [
    [`region=${unknown}`, "region"],
    ["region=here", "region"],
    [`polygon=${wrong}`, "polygon: a number expected"],
  ] as const) {
    const answer = await guest.get<string>(`${path}/fdsnws/event/1/query?${query}`);
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(words)]);
  }
  const { body: wadl } = await guest.get<string>(`${path}/fdsnws/event/1/application.wadl`);
  for (const name of ["polygon", "region"]) expect(wadl).toContain(`name="${name}"`);
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
