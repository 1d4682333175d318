import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  packBulletin,
  QUICK_BULLETIN_BYTES,
  unpackBulletin,
} from "#infra/bulletins/packed-bulletin.ts";
import { sealBulletin } from "#infra/bulletins/seal-bulletin.ts";
import { hashExport } from "#services/versions/hash-file.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
let path: string;
const bulletins = new Map<string, Bulletin>();

type Whole = SeismicEvent & { bulletin?: Bulletin; source_count?: number; source_events?: unknown };

/** As it is read back: members stand in another order then. */
const read = (bulletin: Bulletin) => unpackBulletin(packBulletin(bulletin).pieces);

beforeAll(async () => {
  editor = await service.loginAs("editor");
  const { pick: _, amplitude: __, ...withoutPicks } = smallBulletin("c");
  const large = { ...withoutPicks, comment: [{ text: "尺度 ".repeat(QUICK_BULLETIN_BYTES / 4) }] };
  for (const bulletin of [smallBulletin("a"), smallBulletin("b"), large]) {
    bulletins.set(sealBulletin(bulletin).sha256, read(bulletin));
  }
  const events = [...bulletins.values()].map((bulletin) => ({ bulletin }));
  const { id } = await createCatalogue(editor, {
    events: [...events, seismicEvent(), seismicEvent({ magnitude: null, time: "2020-01-01" })],
  });
  path = `/api/catalogues/${id}`;
});

function expectWhole(events: readonly Whole[]): void {
  expect(events).toHaveLength(5);
  for (const { bulletin_sha256: sha256, bulletin } of events) {
    expect(bulletin).toEqual(sha256 === undefined ? undefined : bulletins.get(sha256));
  }
  expect(events.filter(({ bulletin }) => bulletin !== undefined)).toHaveLength(3);
}

describe("include=bulletin adds the bulletins of events that have one", () => {
  test.each([
    "events/filtered?include=bulletin",
    "events/filtered?include=source_events,bulletin&orderBy=time-asc",
    "events?include=bulletin&pageSize=5",
    "events?include=bulletin&limit=5&offset=0",
    "events?include=bulletin&pagination=cursor&direction=asc",
    "export?format=json&include=bulletin",
  ])("in %s", async (address) => {
    const { body } = await editor.get<{ events: Whole[] }>(`${path}/${address}`);
    expectWhole(body.events);
    const { body: without } = await editor.get<{ events: Whole[] }>(
      `${path}/${address.replace("bulletin", "source_events").replace("&include=source_events", "")}`,
    );
    expect(without.events).toEqual(body.events.map(({ bulletin: _, ...event }) => event));
  });

  test("in a single event", async () => {
    const { body } = await editor.get<{ events: Whole[] }>(`${path}/events/filtered`);
    for (const { id, bulletin_sha256: sha256 } of body.events) {
      const one = await editor.get<{ event: Whole }>(`${path}/events/${id}?include=bulletin`);
      expect(one.body.event.bulletin).toEqual(sha256 && bulletins.get(sha256));
    }
  });

  test("and changes no hash of an export", async () => {
    const hashOf = async (address: string) => {
      const { body } = await editor.stream(`${path}/export?format=json${address}`);
      if (body === null) throw new Error("no body");
      return hashExport(body);
    };
    const without = await hashOf("");
    expect(await hashOf("&include=bulletin")).toEqual(without);
    const { body } = await editor.get(`${path}/versions/1`);
    expect(JSON.stringify(body)).toContain(without.sha256);
  });

  test("and in no other format than JSON", async () => {
    for (const format of ["csv", "geojson", "parquet"]) {
      const answer = await editor.get(`${path}/export?format=${format}&include=bulletin`);
      expectRefusal(answer, "VALIDATION_ERROR");
    }
    expectRefusal(await editor.get(`${path}/events?include=bulletins`), "VALIDATION_ERROR");
  });
});

describe("events are found by what they have", () => {
  test.each([
    ["has=bulletin", 3],
    ["has=picks", 2],
    ["has=picks,comments", 2],
    ["has=origins", 3],
    ["has=arrivals,magnitudes,station_magnitudes", 3],
    ["has=amplitudes", 2],
    ["has=focal_mechanisms", 0],
    ["minOrigins=1", 5],
    ["minOrigins=2", 3],
    ["minMagnitudes=1", 4],
    ["minMagnitudes=2&has=picks", 2],
    ["minMagnitudes=3", 0],
  ])("%s", async (filter, count) => {
    const { body } = await editor.get<{ count: number }>(`${path}/events/filtered?${filter}`);
    expect(body.count).toBe(count);
    const exported = await editor.get(`${path}/export?format=json&${filter}`);
    expect(exported.headers.get("x-export-event-count")).toBe(String(count));
  });

  test("not by what there is not", async () => {
    expectRefusal(await editor.get(`${path}/events/filtered?has=planes`), "VALIDATION_ERROR");
    for (const outside of ["minOrigins=-1", "minMagnitudes=290472910003"]) {
      expectRefusal(await editor.get(`${path}/events/filtered?${outside}`), "VALIDATION_ERROR");
    }
  });
});
