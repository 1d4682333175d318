import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogue.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { exportedEvents, merge, mergeForm, sourceOf } from "./merge-scene.ts";

const service = sharedService();
let client: ApiClient;
beforeAll(async () => {
  client = await service.loginAs("editor");
});

const KAIKOURA = seismicEvent({ source_id: "2016p858000", used_station_count: 31 });
const KAIKOURA_ELSEWHERE = seismicEvent({
  source_id: "us1000778i",
  time: "2016-11-13T11:02:56.846Z",
  magnitude: 7.7,
  region: "South Island of New Zealand",
});
const LATER = seismicEvent({ source_id: "b", time: "2017-01-01T00:00:00.120Z", depth: null });

const twoSources = async () => [
  await sourceOf(client, "GeoNet", [KAIKOURA, LATER]),
  await sourceOf(client, "USGS", [KAIKOURA_ELSEWHERE]),
];

describe("POST /api/merge", () => {
  test.each([
    [{ is_public: true }, { access: "public", is_public: true, editing: "all" }],
    [{ is_public: false }, { access: "internal", is_public: false, editing: "all" }],
    [{ is_public: false, access: "restricted", editing: "members" }, { access: "restricted" }],
    [{ editing: "members" }, { access: "internal", editing: "members" }],
  ])("gives the new catalogue the rights %j, as a creation does", async (rights, made) => {
    type Made = { catalogueId: string };
    const form = { ...mergeForm(await twoSources()), ...rights };
    const { body } = await client.send<Made>("POST", "/api/merge", form);
    const merged = await client.get<Catalogue>(`/api/catalogues/${body.catalogueId}`);
    expect(merged.body).toMatchObject({ ...rights, ...made });
  });

  test("POST /api/merge answers the new catalogue's id and what was counted", async () => {
    const answer = await client.send("POST", "/api/merge", mergeForm(await twoSources()));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      catalogueId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      eventCount: 2,
      originalEventCount: 3,
      duplicateGroups: 1,
      duplicatesRemoved: 1,
    });
  });

  test("POST /api/merge makes a catalogue that is active, private and the caller's, with one version of cause merge", async () => {
    const { catalogueId } = await merge(client, await twoSources());
    const { body } = await client.get<Catalogue>(`/api/catalogues/${catalogueId}`);
    expect(body).toMatchObject({
      name: "merged",
      status: "active",
      is_public: false,
      version: 1,
      event_count: 2,
      created_by: expect.stringMatching(/^user_/),
      start_time: "2016-11-13T11:02:56.346Z",
      end_time: "2017-01-01T00:00:00.120Z",
    });
    const versions = await client.get<{ versions: CatalogueVersion[] }>(
      `/api/catalogues/${catalogueId}/versions`,
    );
    expect(versions.body.versions).toMatchObject([{ version: 1, cause: "merge", added: 2 }]);
  });

  test("POST /api/merge keeps the configuration and the sources as they were, on the catalogue and in the list", async () => {
    const sources = await twoSources();
    const [first] = sources;
    await client.send("POST", `/api/catalogues/${first?.id}/events`, {
      events: [seismicEvent({ time: "2020-01-01T00:00:00Z" })],
    });
    const config = { timeThreshold: 3.5, mergeStrategy: "priority", priority: "usgs" } as const;
    const { catalogueId } = await merge(client, sources, config);
    await client.send("PATCH", `/api/catalogues/${first?.id}`, { name: "another name" });
    const kept = {
      merge_config: { ...config, distanceThreshold: 50, linkage: "complete" },
      source_catalogues: [
        { ...first, name: "catalogue of GeoNet", version: 2, event_count: 3 },
        { ...sources[1], name: "catalogue of USGS", version: 1, event_count: 1 },
      ],
    };
    const { body } = await client.get<Catalogue>(`/api/catalogues/${catalogueId}`);
    expect(body).toMatchObject(kept);
    const list = await client.get<{ catalogues: Catalogue[] }>("/api/catalogues?pageSize=1");
    expect(list.body.catalogues).toMatchObject([{ id: catalogueId, ...kept }]);
    const { body: source } = await client.get<Catalogue>(`/api/catalogues/${first?.id}`);
    expect(source).toMatchObject({ merge_config: null, source_catalogues: null });
  });

  test("POST /api/merge gives every event its provenance, on the event itself and in the JSON export", async () => {
    const [geonet, usgs] = await twoSources();
    if (!geonet || !usgs) throw new Error("two sources were made");
    const ids = async (id: string) => (await exportedEvents(client, id)).map((event) => event.id);
    const [kaikoura, later] = await ids(geonet.id);
    const [elsewhere] = await ids(usgs.id);
    const { catalogueId } = await merge(client, [geonet, usgs]);
    const events = await exportedEvents(client, catalogueId);
    const provenance = [
      {
        catalogue_id: geonet.id,
        event_id: kaikoura,
        source_id: "2016p858000",
        source: "GeoNet",
        time_difference: 0,
        distance: 0,
        quality_score: 25,
        chosen: true,
      },
      {
        catalogue_id: usgs.id,
        event_id: elsewhere,
        source_id: "us1000778i",
        source: "USGS",
        time_difference: 0.5,
        distance: 0,
        quality_score: 0,
        chosen: false,
      },
    ];
    expect(events.map((event) => event.source_events)).toEqual([
      provenance,
      [expect.objectContaining({ event_id: later, source: "GeoNet", chosen: true })],
    ]);
    const list = await client.get<{ events: unknown[] }>(
      `/api/catalogues/${catalogueId}/events/filtered?orderBy=time-asc&include=source_events`,
    );
    expect(list.body.events).toEqual(
      events.map((event) => ({ ...event, source_count: event.source_events?.length })),
    );
    const { body } = await client.get<{ event: SeismicEvent }>(
      `/api/catalogues/${catalogueId}/events/${events[0]?.id}`,
    );
    expect(body.event).toEqual(events[0]);
    expect(body.event).toMatchObject({
      source_id: "2016p858000",
      time: "2016-11-13T11:02:56.346Z",
      magnitude: 7.8,
      region: "South Island of New Zealand",
    });
  });

  test("POST /api/merge leaves a source_id that two events have to the earlier, and keeps the other's in extra", async () => {
    const sources = [
      await sourceOf(client, "one", [
        seismicEvent({ source_id: "7", time: "2020-01-02T00:00:00Z", note: "second" }),
      ]),
      await sourceOf(client, "other", [
        seismicEvent({ source_id: "7", time: "2020-01-01T00:00:00Z" }),
      ]),
    ];
    for (const inAnOrder of [sources, sources.toReversed()]) {
      const { catalogueId } = await merge(client, inAnOrder);
      expect(await exportedEvents(client, catalogueId)).toMatchObject([
        { source_id: "7", extra: null },
        { source_id: null, extra: { note: "second", source_id: "7" } },
      ]);
    }
  });

  test("POST /api/merge merges what was merged before by its own events", async () => {
    const { catalogueId } = await merge(client, await twoSources());
    const sources = [
      { id: catalogueId, source: "merged" },
      await sourceOf(client, "third", [KAIKOURA_ELSEWHERE]),
    ];
    const again = await merge(client, sources);
    expect(again).toMatchObject({ eventCount: 2, originalEventCount: 3 });
    const [first] = await exportedEvents(client, again.catalogueId);
    expect(first?.source_events?.map(({ source }) => source)).toEqual(["merged", "third"]);
  });

  test("POST /api/merge joins by nearest linkage where it is asked for, and keeps that with the catalogue", async () => {
    const at = (second: string) => [seismicEvent({ time: `2020-01-01T00:00:${second}Z` })];
    const sources = [
      await sourceOf(client, "a", at("00")),
      await sourceOf(client, "b", at("12")),
      await sourceOf(client, "c", at("25")),
    ];
    const complete = await merge(client, sources);
    expect(complete).toMatchObject({ eventCount: 2, duplicatesRemoved: 1 });
    const nearest = await merge(client, sources, { linkage: "nearest" });
    expect(nearest).toMatchObject({ eventCount: 1, duplicatesRemoved: 2 });
    const { body } = await client.get<Catalogue>(`/api/catalogues/${nearest.catalogueId}`);
    expect(body.merge_config?.linkage).toBe("nearest");
  });

  test("POST /api/merge makes an empty catalogue of empty ones", async () => {
    const sources = [await sourceOf(client, "a", []), await sourceOf(client, "b", [])];
    const { catalogueId, ...counts } = await merge(client, sources);
    expect(counts).toMatchObject({ eventCount: 0, originalEventCount: 0, duplicateGroups: 0 });
    const { body } = await client.get<Catalogue>(`/api/catalogues/${catalogueId}`);
    expect(body).toMatchObject({ status: "active", version: 1, start_time: null });
  });

  test("POST /api/merge takes 50 sources", async () => {
    const sources = await Promise.all(
      Array.from({ length: 50 }, (_, i) => sourceOf(client, `source ${i}`, [KAIKOURA])),
    );
    expect(await merge(client, sources)).toMatchObject({ eventCount: 1, duplicatesRemoved: 49 });
  });

  test("POST /api/merge reads names and numbers of events from the catalogues, not from the request", async () => {
    const { id } = await createCatalogue(client, { name: "true name" });
    const other = await createCatalogue(client);
    const { body } = await client.send<{ catalogueId: string }>("POST", "/api/merge", {
      ...mergeForm([]),
      sourceCatalogues: [
        { id, name: null, events: "many", source: "s" },
        { id: other.id.toUpperCase(), source: "s" },
      ],
    });
    const merged = await client.get<Catalogue>(`/api/catalogues/${body.catalogueId}`);
    expect(merged.body.source_catalogues).toMatchObject([
      { name: "true name", event_count: 1 },
      {},
    ]);
  });
});
