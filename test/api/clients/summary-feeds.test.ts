import { beforeAll, describe, expect, test } from "vitest";
import {
  FEED_FORMATS,
  FEED_MAGNITUDES,
  FEED_PERIODS,
} from "#contracts/http/clients/summary-feeds.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = sharedService();
let guest: ApiClient;
let feeds: string;

const HOUR_MS = 3_600_000;
const started = Date.now();
/** Hours before now, and magnitudes, well within the bounds of the feeds. */
const EVENTS = [0.1, 5, 50, 500, 1_000].flatMap((hours, i) =>
  [null, -1, 0.94, 0.96, 2.46, 4.46, 6.5].map((magnitude, k) => ({
    ...seismicEvent(),
    source_id: `event${i}-${k}`,
    time: new Date(started - hours * HOUR_MS).toISOString(),
    magnitude,
    depth: k === 2 ? null : 10,
    event_type: k === 3 ? null : "earthquake",
    region: k === 4 ? null : "Kaikōura",
  })),
);

beforeAll(async () => {
  guest = createApiClient(service.url);
  const editor = await service.loginAs("editor");
  const form = { name: "Aotearoa", events: EVENTS, is_public: true };
  const { id } = await createCatalogue(editor, form);
  feeds = `/api/catalogues/${id}/feed/v1.0/summary`;
});

type Magnitude = keyof typeof FEED_MAGNITUDES;
type Period = keyof typeof FEED_PERIODS;
const NAMES = (Object.keys(FEED_MAGNITUDES) as Magnitude[]).flatMap((magnitude) =>
  (Object.keys(FEED_PERIODS) as Period[]).map((period) => [magnitude, period] as const),
);

/** As USGS rounds magnitudes and significance to those of a feed's name. */
const LEAST: Readonly<Record<Magnitude, number>> = {
  all: Number.NEGATIVE_INFINITY,
  "1.0": 0.95,
  "2.5": 2.45,
  "4.5": 4.45,
  significant: 6.25,
};
const HOURS: Readonly<Record<Period, number>> = { hour: 1, day: 24, week: 168, month: 720 };

const eventsOf = (magnitude: Magnitude, period: Period) =>
  EVENTS.filter(
    (event) =>
      started - Date.parse(event.time) < HOURS[period] * HOUR_MS &&
      (magnitude === "all" || (event.magnitude ?? Number.NaN) >= LEAST[magnitude]),
  );

type Feed = {
  readonly type: unknown;
  readonly metadata: { readonly title: unknown };
  readonly features: readonly Feature[];
};
type Feature = {
  readonly type: unknown;
  readonly id: unknown;
  readonly geometry: { readonly type: unknown; readonly coordinates: readonly unknown[] };
  readonly properties: Readonly<Record<string, unknown>>;
};

/**
 * What Home Assistant's reader of USGS's feeds takes of one: of each feature its id, place on the map and
 * these properties, times in milliseconds; the feed's title as attribution.
 */
function entriesOf({ metadata, features }: Feed) {
  return features.map(({ id, geometry, properties }) => {
    const [longitude, latitude] = geometry.coordinates.map(Number);
    const { title, place, mag, time, updated, alert, status, type } = properties;
    for (const name of ["title", "place", "mag", "time", "updated", "alert", "status", "type"]) {
      expect(properties).toHaveProperty(name);
    }
    return {
      ...{ externalId: id, title, place, magnitude: mag, alert, status, type },
      ...{ latitude, longitude, attribution: metadata.title },
      time: new Date(Number(time)).toISOString(),
      updated: new Date(Number(updated)),
    };
  });
}

describe.each(NAMES)("the feed %s_%s", (magnitude, period) => {
  const feed = <T>(format: string) => guest.get<T>(`${feeds}/${magnitude}_${period}.${format}`);

  test("is read by Home Assistant, each event once", async () => {
    const { status, body } = await feed<Feed>("geojson");
    expect([status, body.type]).toEqual([200, "FeatureCollection"]);
    const entries = entriesOf(body);
    const wanted = eventsOf(magnitude, period);
    expect(entries.map(({ externalId }) => externalId).sort()).toEqual(
      wanted.map(({ source_id }) => source_id).sort(),
    );
    for (const entry of entries) {
      const event = wanted.find(({ source_id }) => source_id === entry.externalId);
      const { latitude, longitude, event_type: type } = event ?? {};
      expect(entry).toMatchObject({ latitude, longitude, type, magnitude: event?.magnitude });
      expect(entry).toMatchObject({ alert: null, status: null, time: event?.time });
      expect(entry.place).toEqual(expect.stringMatching(/./));
      expect(entry.title).toBe(
        `M ${event?.magnitude === null ? "?" : event?.magnitude?.toFixed(1)} - ${entry.place}`,
      );
      expect(entry.updated.getTime()).toBeGreaterThanOrEqual(started);
      expect(entry.attribution).toMatch(/^Aotearoa .* Earthquakes, Past /);
    }
  });

  test("has as many events in its other formats", async () => {
    const { length } = eventsOf(magnitude, period);
    const partOf = { csv: /\n(?=.)/g, quakeml: /<event /g, atom: /<entry>/g };
    for (const [format, part] of Object.entries(partOf)) {
      const { status, body, headers } = await feed<string>(format);
      expect([format, status, body.match(part)?.length ?? 0]).toEqual([format, 200, length]);
      const type = FEED_FORMATS[format as keyof typeof FEED_FORMATS];
      expect(headers.get("content-type")).toContain(type.split(";")[0]);
    }
  });
});

test("a feed's links begin with the address by which it was asked for, however it was asked for before", async () => {
  const [, , , id = ""] = feeds.split("/");
  const otherId = `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
  for (const catalogue of [otherId, id]) {
    const path = `/api/catalogues/${catalogue}/feed/v1.0`;
    const { body } = await guest.get<Feed>(`${path}/summary/all_month.geojson`);
    const links = body.features.map(({ properties }) => String(properties["detail"]));
    expect(links).not.toEqual([]);
    for (const link of links) expect(link).toContain(`${path}/detail/`);
  }
});
