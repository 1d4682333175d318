import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { ErrorCode } from "#contracts/errors.ts";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { MergePreview } from "#contracts/http/merges.ts";
import type { MagnitudeConversion, MergeConfig } from "#contracts/merges/config.ts";
import { DECISION_LIMITS } from "#contracts/merges/decisions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { groupRows } from "#services/merges/plan.ts";
import { seismicEvent } from "../../support/api/catalogue.ts";
import { countLogRows } from "../../support/api/log-rows.ts";
import {
  CONFIG,
  exportedEvents,
  merge,
  mergeForm,
  placeOf,
  type Source,
  sourceOf,
} from "../../support/api/merges.ts";
import { whileProcessing } from "../../support/api/open-revision.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { originsOf } from "../../support/origins-of.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const client = service.client("editor");
let geonet: Source;
let usgs: Source;

const ELSEWHERE = seismicEvent({
  source_id: "us1000778i",
  time: "2016-11-13T11:02:56.846Z",
  magnitude: 7.7,
  region: "South Island of New Zealand",
});

beforeAll(async () => {
  geonet = await sourceOf(client, "GeoNet", [
    seismicEvent({ source_id: "2016p858000", used_station_count: 31 }),
    seismicEvent({ source_id: "b", time: "2017-01-01T00:00:00.120Z", depth: null }),
  ]);
  usgs = await sourceOf(client, "USGS", [ELSEWHERE]);
});

const catalogueOf = async (id: unknown) =>
  (await client.get<Catalogue>(`/api/catalogues/${id}`)).body;

describe("a merge", () => {
  test("answers what was counted, and makes a catalogue that is active, the caller's and one version of cause merge", async () => {
    const { status, body } = await client.send<{ catalogueId: string }>(
      "POST",
      "/api/merge",
      mergeForm([geonet, usgs]),
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      catalogueId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      eventCount: 2,
      originalEventCount: 3,
      duplicateGroups: 1,
      duplicatesRemoved: 1,
    });
    expect(await catalogueOf(body.catalogueId)).toMatchObject({
      name: "merged",
      status: "active",
      is_public: false,
      version: 1,
      event_count: 2,
      created_by: expect.stringMatching(/^user_/),
      start_time: "2016-11-13T11:02:56.346Z",
      end_time: "2017-01-01T00:00:00.120Z",
    });
    const path = `/api/catalogues/${body.catalogueId}/versions`;
    const { versions } = (await client.get<{ versions: CatalogueVersion[] }>(path)).body;
    expect(versions).toMatchObject([{ version: 1, cause: "merge", added: 2 }]);
  });

  test("gives the new catalogue the rights that a creation does", async () => {
    for (const [rights, made] of [
      [{ is_public: true }, { access: "public", is_public: true, editing: "all" }],
      [{ is_public: false }, { access: "internal", is_public: false, editing: "all" }],
      [{ is_public: false, access: "restricted", editing: "members" }, { access: "restricted" }],
      [{ editing: "members" }, { access: "internal", editing: "members" }],
    ] as const) {
      const form = { ...mergeForm([geonet, usgs]), ...rights };
      const { body } = await client.send<{ catalogueId: string }>("POST", "/api/merge", form);
      expect(await catalogueOf(body.catalogueId)).toMatchObject({ ...rights, ...made });
    }
  });

  test("keeps the configuration and the sources as they were, whatever the request believes of them, on the catalogue and in the list", async () => {
    const first = await sourceOf(client, "first", [seismicEvent()]);
    await client.send("POST", `/api/catalogues/${first.id}/events`, {
      events: [seismicEvent({ time: "2020-01-01T00:00:00Z" })],
    });
    const config = { timeThreshold: 3.5, mergeStrategy: "priority", priority: "usgs" } as const;
    const sources = [first, { ...usgs, id: usgs.id.toUpperCase() }];
    const { catalogueId } = await merge(client, sources, config);
    await client.send("PATCH", `/api/catalogues/${first.id}`, { name: "another name" });
    const kept = {
      merge_config: { ...config, distanceThreshold: 50, linkage: "complete" },
      source_catalogues: [
        { ...first, name: "catalogue of first", version: 2, event_count: 2 },
        { ...usgs, name: "catalogue of USGS", version: 1, event_count: 1 },
      ],
    };
    expect(await catalogueOf(catalogueId)).toMatchObject(kept);
    const list = await client.get<{ catalogues: Catalogue[] }>("/api/catalogues?pageSize=1");
    expect(list.body.catalogues).toMatchObject([{ id: catalogueId, ...kept }]);
    const source = { merge_config: null, source_catalogues: null };
    expect(await catalogueOf(first.id)).toMatchObject(source);
  });

  test("gives every event its provenance, in the export, in lists and by itself, and merges what was merged by its own events", async () => {
    const [kaikoura, later] = (await exportedEvents(client, geonet.id)).map(({ id }) => id);
    const [elsewhere] = (await exportedEvents(client, usgs.id)).map(({ id }) => id);
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
    const path = `/api/catalogues/${catalogueId}/events/${events[0]?.id}`;
    const { event } = (await client.get<{ event: SeismicEvent }>(path)).body;
    expect(event).toEqual(events[0]);
    expect(event).toMatchObject({
      source_id: "2016p858000",
      time: "2016-11-13T11:02:56.346Z",
      magnitude: 7.8,
      region: "South Island of New Zealand",
    });

    const third = await sourceOf(client, "third", [ELSEWHERE]);
    const again = await merge(client, [{ id: catalogueId, source: "merged" }, third]);
    expect(again).toMatchObject({ eventCount: 2, originalEventCount: 3 });
    const [first] = await exportedEvents(client, again.catalogueId);
    expect(first?.source_events?.map(({ source }) => source)).toEqual(["merged", "third"]);
  });

  test("leaves a source_id that two events have to the earlier, and keeps the other's in extra", async () => {
    const at = (day: string, more: object = {}) => [
      seismicEvent({ source_id: "7", time: `2020-01-${day}T00:00:00Z`, ...more }),
    ];
    const sources = [
      await sourceOf(client, "one", at("02", { note: "second" })),
      await sourceOf(client, "other", at("01")),
    ];
    for (const inAnOrder of [sources, sources.toReversed()]) {
      const { catalogueId } = await merge(client, inAnOrder);
      expect(await exportedEvents(client, catalogueId)).toMatchObject([
        { source_id: "7", extra: null },
        { source_id: null, extra: { note: "second", source_id: "7" } },
      ]);
    }
  });

  test("joins by nearest linkage where it is asked for, and keeps that with the catalogue", async () => {
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
    expect((await catalogueOf(nearest.catalogueId)).merge_config?.linkage).toBe("nearest");
  });

  test("is of 2 to 50 sources, which may be empty, and of thresholds up to their bounds", async () => {
    const sources = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        sourceOf(client, `source ${i}`, i < 2 ? [] : [ELSEWHERE]),
      ),
    );
    expect(await merge(client, sources)).toMatchObject({ eventCount: 1, duplicatesRemoved: 47 });
    const { catalogueId, ...counts } = await merge(client, sources.slice(0, 2));
    expect(counts).toMatchObject({ eventCount: 0, originalEventCount: 0, duplicateGroups: 0 });
    const empty = { status: "active", version: 1, start_time: null };
    expect(await catalogueOf(catalogueId)).toMatchObject(empty);
    const { priority: _, ...config } = CONFIG;
    for (const bounds of [
      { timeThreshold: 0, distanceThreshold: 0 },
      { timeThreshold: 3600, distanceThreshold: 1000 },
    ]) {
      const form = { ...mergeForm([geonet, usgs]), config: { ...config, ...bounds, other: 1 } };
      for (const path of PATHS) {
        expect((await client.send("POST", path, { ...form, more: {} })).status).toBe(200);
      }
    }
  });
});

const PATHS = ["/api/merge", "/api/merge/preview"] as const;

describe("a merge is refused", () => {
  const total = async () => (await client.get<{ total: number }>("/api/catalogues")).body.total;

  /** Expects the refusal of a body at both operations, and that nothing came of it. */
  async function expectRefused(body: unknown, code: ErrorCode, names?: string): Promise<void> {
    const before = await total();
    for (const path of PATHS) expectRefusal(await client.send("POST", path, body), code, names);
    expect(await total()).toBe(before);
  }

  test("without sources, with one, with more than 50, and with one named twice", async () => {
    const many = Array.from({ length: 51 }, () => ({ id: randomUUID(), source: "s" }));
    const twice = [geonet, { ...usgs, id: geonet.id.toUpperCase() }];
    for (const wrong of [undefined, {}, [], [geonet], many, twice]) {
      const body = { ...mergeForm([]), sourceCatalogues: wrong };
      await expectRefused(body, "VALIDATION_ERROR", "sourceCatalogues");
    }
  });

  test("with labels, settings, rights and names of no meaning", async () => {
    const form = mergeForm([geonet, usgs]);
    for (const wrong of [{ id: "not an id" }, { source: "a\nb" }]) {
      const field = `sourceCatalogues.1.${Object.keys(wrong)[0]}`;
      await expectRefused(mergeForm([geonet, { ...usgs, ...wrong }]), "VALIDATION_ERROR", field);
    }
    for (const [config, field] of [
      [{ conversions: ["isc-gem"] }, "conversions"],
      [{ prefer: { location: "best" } }, "prefer"],
      [{ prefer: { depth: "newest" } }, "prefer"],
    ] as const) {
      const body = { ...form, config: { ...CONFIG, ...config } };
      await expectRefused(body, "VALIDATION_ERROR", field);
    }
    for (const rights of [
      { access: "public", is_public: false },
      { access: "restricted", is_public: true },
    ]) {
      await expectRefused({ ...form, ...rights }, "VALIDATION_ERROR", "access");
    }
    for (const [name, code] of [
      [undefined, "MISSING_NAME"],
      ["  ", "MISSING_NAME"],
      ["x".repeat(256), "NAME_TOO_LONG"],
    ] as const) {
      expectRefusal(await client.send("POST", "/api/merge", { ...form, name }), code);
    }
    const { name: _, ...nameless } = form;
    expect((await client.send("POST", "/api/merge/preview", nameless)).status).toBe(200);
  });

  test("where a source is not there, was deleted or has no version yet, naming it", async () => {
    const gone = await sourceOf(client, "gone", []);
    await client.send("DELETE", `/api/catalogues/${gone.id}`);
    for (const id of [gone.id, randomUUID()]) {
      await expectRefused(mergeForm([geonet, { id, source: "s" }]), "NOT_FOUND", id);
    }
    await whileProcessing(service, async (id) => {
      await expect.poll(() => catalogueOf(id)).toMatchObject({ status: "processing" });
      await expectRefused(mergeForm([geonet, { id, source: "s" }]), "CONFLICT", id);
    });
  });

  test("where thresholds so wide meet events so dense that the pairs do not fit in memory", () => {
    const swarm = Array.from({ length: 6_400 }, (_, i) => ({
      ...{ id: String(i), source: i % 2, latitude: 0, longitude: 0 },
      time: new Date(Date.UTC(2020, 0, 1) + i * 50).toISOString(),
    }));
    const rules = { thresholds: thresholdsOf(3600, 1000) };
    const refusal = { code: "MERGE_ERROR", message: expect.stringContaining("pairs") };
    expect(() => groupRows(originsOf(swarm), rules)).toThrow(expect.objectContaining(refusal));
  });

  test("for bodies that are larger than decisions may make them", async () => {
    const padding = "x".repeat((DECISION_LIMITS.bodyMiB + 1) * 2 ** 20);
    await expectRefused({ ...mergeForm([geonet, usgs]), padding }, "BODY_TOO_LARGE");
  });
});

const NO_POINTS = {
  stations: 0,
  gap: 0,
  rms: 0,
  magnitude_uncertainty: 0,
  magnitude_type: 0,
  review: 0,
};

async function preview(sources: readonly Source[]): Promise<MergePreview> {
  const body = mergeForm(sources);
  const answer = await client.send<MergePreview>("POST", "/api/merge/preview", body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

const at = (second: number, overrides: Readonly<Record<string, unknown>> = {}) =>
  seismicEvent({
    time: new Date(Date.UTC(2020, 0, 1) + second * 1000).toISOString(),
    ...overrides,
  });

describe("POST /api/merge/preview", () => {
  test("answers every part of a score, which make it up", async () => {
    const whole = {
      used_station_count: 20,
      azimuthal_gap: 200,
      standard_error: 0.4,
      magnitude_uncertainty: 0.25,
      magnitude_type: "ML",
      evaluation_status: "preliminary",
      evaluation_mode: "manual",
    };
    const { groups } = await preview([
      await sourceOf(client, "one", [at(0, whole)]),
      await sourceOf(client, "other", [at(1, { ...whole, magnitude: null, azimuthal_gap: 300 })]),
    ]);
    const parts = groups[0]?.members.map(({ score_parts }) => score_parts);
    expect(parts).toMatchObject([
      { rms: 12, magnitude_uncertainty: 8, magnitude_type: 6, review: 4 },
      { gap: 0, rms: 12, magnitude_uncertainty: 0, magnitude_type: 0, review: 4 },
    ]);
    for (const { score_parts, quality_score } of groups[0]?.members ?? []) {
      const sum = Object.values(score_parts).reduce((total, part) => total + part, 0);
      expect(sum).toBeCloseTo(quality_score, 9);
      expect(score_parts.stations).toBeCloseTo((25 * Math.log2(21)) / 5, 9);
    }
  });

  test("answers the counts, the groups with their reasons, and the pairs to look at", async () => {
    const one = await sourceOf(client, "one", [
      at(0, { source_id: "a", magnitude: 5, used_station_count: 31, time: "2020-01-01T00:00:00Z" }),
      at(1000, { source_id: "b", magnitude: 5, depth: null, latitude: -42.695 }),
    ]);
    const other = await sourceOf(client, "other", [
      at(2, { source_id: "c", magnitude: 6.5 }),
      at(1020, { source_id: "d", magnitude: 5.5, depth: 0, latitude: -42.695 }),
      at(9000),
    ]);
    const events = new Map<string, SeismicEvent>();
    for (const { id } of [one, other]) {
      for (const event of await exportedEvents(client, id))
        events.set(event.source_id ?? "", event);
    }
    const place = (source: Source, sourceId: string) => {
      const event = events.get(sourceId);
      if (event === undefined) throw new Error(`${sourceId} is not there`);
      const { id: event_id } = event;
      return {
        catalogue_id: source.id,
        event_id,
        source_id: sourceId,
        source: source.source,
        ...placeOf(event),
      };
    };
    const before = await countLogRows(service);
    expect(await preview([one, other])).toEqual({
      eventCount: 4,
      originalEventCount: 5,
      duplicateGroups: 1,
      duplicatesRemoved: 1,
      groups: [
        {
          reason: "higher quality score: 25.00 against 0.00",
          members: [
            {
              ...place(one, "a"),
              time_difference: 0,
              distance: 0,
              quality_score: 25,
              score_parts: { ...NO_POINTS, stations: 25 },
              chosen: true,
            },
            {
              ...place(other, "c"),
              time_difference: 2,
              distance: 0,
              quality_score: 0,
              score_parts: NO_POINTS,
              chosen: false,
            },
          ],
        },
      ],
      ambiguous: [
        {
          first: place(one, "a"),
          second: place(other, "c"),
          time_difference: 2,
          distance: 0,
          magnitude_difference: 1.5,
        },
        {
          first: place(one, "b"),
          second: place(other, "d"),
          time_difference: 20,
          distance: 0,
          magnitude_difference: 0.5,
        },
      ],
      truncated: false,
    });
    expect(await countLogRows(service)).toBe(before);
  });

  test("answers where the pairs to look at are the first of many events", async () => {
    const doubtful = (magnitude: number, latitude: number) => [
      at(0, { magnitude, latitude: 0 }),
      ...Array.from({ length: 3_000 }, (_, i) => at(100 * (i + 1), { latitude })),
    ];
    const one = await sourceOf(client, "one", doubtful(3, 10));
    const other = await sourceOf(client, "other", doubtful(6, 60));
    const { eventCount, duplicateGroups, ambiguous } = await preview([one, other]);
    expect({ eventCount, duplicateGroups }).toEqual({ eventCount: 6_001, duplicateGroups: 1 });
    expect(ambiguous).toHaveLength(1);
  });

  test("lists the first 1,000 groups and pairs, and says that there are more", async () => {
    const events = (magnitude: number, count: number) =>
      Array.from({ length: count }, (_, i) => at(i * 3600, { magnitude }));
    const [a, b, c] = [
      await sourceOf(client, "a", events(3, 1001)),
      await sourceOf(client, "b", events(5, 1001)),
      await sourceOf(client, "c", events(5, 1000)),
    ];
    const more = await preview([a, b]);
    expect(more).toMatchObject({ duplicateGroups: 1001, truncated: true });
    expect(more.groups).toHaveLength(1000);
    expect(more.ambiguous).toHaveLength(1000);
    const [first] = await exportedEvents(client, a.id);
    expect(more.groups[0]?.members.map(({ event_id: id }) => id)).toContain(first?.id);
    const all = await preview([a, c]);
    expect(all).toMatchObject({ duplicateGroups: 1000, truncated: false });
    expect(all.groups).toHaveLength(1000);
    expect(all.ambiguous).toHaveLength(1000);
  });
});

const editor = service.client("editor");
const PLACE = { time: "2024-05-06T07:08:02Z", latitude: -41.5, longitude: 174.5 };
/** Chosen by its quality, with a magnitude of one station. */
const LOCATED = {
  ...PLACE,
  depth: 20,
  used_station_count: 31,
  azimuthal_gap: 60,
  agency_id: "ISC",
  magnitude: 5,
  magnitude_type: "mb",
  magnitude_station_count: 1,
};

const OURS: MagnitudeConversion = {
  name: "Ours",
  from: "Mw",
  agency: "WEL",
  to: "Mw(GEM)",
  slope: 0.5,
  intercept: 2,
  sigma: 0.25,
  range: [2, 6],
  reference: "Our own",
};

/** The only event of a merge, and its bulletin. */
async function merged(sources: readonly Source[], config: Partial<MergeConfig>) {
  const { catalogueId } = await merge(editor, sources, config);
  const [event] = await exportedEvents(editor, catalogueId);
  if (event === undefined) throw new Error("no event");
  const path = `/api/catalogues/${catalogueId}/events/${event.id}/bulletin`;
  const { bulletin } = (await editor.get<{ bulletin: Bulletin }>(path)).body;
  return { event, bulletin };
}

async function twoSources(): Promise<Source[]> {
  return [
    await sourceOf(editor, "located", [LOCATED]),
    await sourceOf(editor, "whole", [{ bulletin: smallBulletin() }]),
  ];
}

describe("a merge that chooses by groups of attributes", () => {
  test("tells which member gave which, in rows, previews and the preferred solutions of bulletins", async () => {
    const sources = await twoSources();
    const config = { prefer: { location: ["isc"], magnitude: ["WEL"] } };
    const { event, bulletin } = await merged(sources, config);
    expect(event).toMatchObject({
      depth: 20,
      agency_id: "ISC",
      magnitude: 4.5,
      magnitude_type: "Mw",
      extra: { magnitude_agency_id: "WEL" },
    });
    const gave = event.source_events?.map(({ source, chosen, gave }) => [source, chosen, gave]);
    expect(gave).toEqual([
      ["whole", false, ["magnitude"]],
      ["located", true, ["location"]],
    ]);
    const magnitude = bulletin.magnitude?.find(
      ({ publicID }) => publicID === bulletin.preferredMagnitudeID,
    );
    expect(magnitude).toMatchObject({ mag: { value: 4.5 }, type: "Mw", member: [0] });
    const origin = bulletin.origin?.find(({ publicID }) => publicID === bulletin.preferredOriginID);
    expect(origin).toMatchObject({ depth: { value: 20_000 }, member: [1] });

    const form = mergeForm(sources, config);
    const preview = await editor.send<MergePreview>("POST", "/api/merge/preview", form);
    const [group] = preview.body.groups;
    expect(group?.reason).toMatch(
      /; location of located: agency isc; magnitude of whole: agency WEL$/,
    );
    expect(group?.members.map(({ source, gave }) => [source, gave])).toEqual([
      ["whole", ["magnitude"]],
      ["located", ["location"]],
    ]);
  });

  test("converts the chosen magnitude, beside the original in the bulletin", async () => {
    const sources = await twoSources();
    const config = { prefer: { magnitude: ["WEL"] }, conversions: ["isc-gem-mb", OURS] };
    const { event, bulletin } = await merged(sources, config);
    expect(event).toMatchObject({
      magnitude: 4.25,
      magnitude_type: "Mw(GEM)",
      magnitude_uncertainty: expect.closeTo(Math.hypot(0.1, 0.25), 10),
      extra: {
        converted_from: { magnitude: 4.5, magnitude_type: "Mw", conversion: "Ours" },
      },
    });
    const made = bulletin.magnitude?.at(-1);
    expect(made).toMatchObject({
      publicID: bulletin.preferredMagnitudeID,
      mag: { value: 4.25 },
      methodID: "smi:local.catalogue/conversion/Ours",
    });
    expect(bulletin.magnitude?.map(({ mag }) => mag.value)).toEqual(
      expect.arrayContaining([4.5, 4.7, 5]),
    );
    // The same once more, whoever merges and when.
    expect((await merged(sources, config)).bulletin).toEqual(bulletin);
    const quality = await merged(sources, { conversions: ["isc-gem-mb"] });
    expect(quality.event).toMatchObject({ magnitude: 5.11, magnitude_type: "Mw" });
  });
});
