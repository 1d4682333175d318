import { beforeAll, expect, test } from "vitest";
import { FEED_FORMATS, FEED_MAGNITUDES, FEED_PERIODS } from "#contracts/http/clients.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const guest = service.client("guest");
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

test("a feed is read by Home Assistant, each event once, and has as many in its other formats", async () => {
  for (const [magnitude, period] of NAMES) {
    const name = `${magnitude}_${period}`;
    const feed = <T>(format: string) => guest.get<T>(`${feeds}/${name}.${format}`);
    const { status, headers, body } = await feed<Feed>("geojson");
    expect([name, status, body.type]).toEqual([name, 200, "FeatureCollection"]);
    expect(headers.get("etag")).toMatch(/^"1-at-\d+"$/);
    const entries = entriesOf(body);
    const wanted = eventsOf(magnitude, period);
    const ids = wanted.map(({ source_id }) => source_id).sort();
    expect([name, entries.map(({ externalId }) => externalId).sort()]).toEqual([name, ids]);
    for (const entry of entries) {
      const event = wanted.find(({ source_id }) => source_id === entry.externalId);
      const { latitude, longitude, event_type: type, magnitude: size = 0, time } = event ?? {};
      expect(entry).toMatchObject({ latitude, longitude, type, magnitude: size, time });
      expect(entry).toMatchObject({ alert: null, status: null });
      expect(entry.place).toEqual(expect.stringMatching(/./));
      expect(entry.title).toBe(`M ${size === null ? "?" : size.toFixed(1)} - ${entry.place}`);
      expect(entry.updated.getTime()).toBeGreaterThanOrEqual(started);
      expect(entry.attribution).toMatch(/^Aotearoa .* Earthquakes, Past /);
    }
    const partOf = { csv: /\n(?=.)/g, quakeml: /<event /g, atom: /<entry>/g } as const;
    for (const [format, part] of Object.entries(partOf)) {
      const other = await feed<string>(format);
      const told = [name, format, other.status, other.body.match(part)?.length ?? 0];
      expect(told).toEqual([name, format, 200, wanted.length]);
      const type = FEED_FORMATS[format as keyof typeof FEED_FORMATS];
      expect(other.headers.get("content-type")).toContain(type.split(";")[0]);
    }
  }
  expect((await guest.get(`${feeds}/all_year.csv`)).status).toBe(404);
  expect((await guest.get(`${feeds}/all_day.csv?limit=1`)).status).toBe(400);
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
