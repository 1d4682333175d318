import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EVENT_ID_PATH, OWN_AUTHORITY, SOURCE_ID_PATH } from "#contracts/seismic-event/ids.ts";
import { bareId, idsOf } from "#contracts/seismic-event/public-ids.ts";
import {
  emptyRecord,
  type SeismicEvent,
  type SeismicEventRecord,
} from "#contracts/seismic-event/seismic-event.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { arbitraryRecord } from "../../../support/arbitrary-events.ts";
import { runs } from "../../../support/runs.ts";
import { committedAt, createModelCatalogue, type ModelCatalogue } from "../model-catalogue.ts";
import { useReadModel } from "../use-read-model.ts";
import { type Circle, fulfilling, meansRemoved, paged, type Wanted } from "./oracle.ts";
import { createFacadeReads, type FacadeReads } from "./reads.ts";
import {
  anyCase,
  queryString,
  spelledList,
  spelledName,
  spelledNumber,
  spelledTime,
} from "./spellings.ts";

const model = useReadModel();
let facade: FacadeReads;
let catalogue: ModelCatalogue;

const EVENTS = 300;
const VERSIONS = 6;
const SOURCE_ID = /\bev\d{5}x\b/g;
const sourceId = (i: number) => `ev${String(i).padStart(5, "0")}x`;

/** On tenths of a degree, where the oracle can count; often at poles and the antimeridian. */
const record: fc.Arbitrary<SeismicEventRecord> = fc
  .record({
    base: arbitraryRecord,
    latitude: fc.oneof(fc.constantFrom(-900, 900, 0), fc.integer({ min: -900, max: 900 })),
    longitude: fc.oneof(
      fc.constantFrom(-1800, 1800, 1799, -1799, 0),
      fc.integer({ min: -1800, max: 1800 }),
    ),
    magnitude_type: fc.constantFrom(null, "ML", "Ml", "mb", "mB", "Mb", "MB", "Mw"),
    agency_id: fc.constantFrom(null, "WEL", "wel", "GFZ", "Zürich"),
    depth: fc.constantFrom(null, -10, -1, 0, 10, 33, 700, 1000),
    magnitude: fc.constantFrom(null, -3, -1, 0, 2.5, 4.5, 7.8, 10),
  })
  .map(({ base, latitude, longitude, ...rest }) => ({
    ...base,
    ...rest,
    latitude: latitude / 10,
    longitude: longitude / 10,
  }));

beforeAll(async () => {
  facade = createFacadeReads(model);
  catalogue = await createModelCatalogue(model.writer, { name: "Facade" });
  const records = fc
    .sample(record, { numRuns: EVENTS, seed: 11 })
    .map((one, i) => ({ ...one, source_id: sourceId(i) }));
  const part = EVENTS / VERSIONS;
  for (let i = 0; i < VERSIONS; i += 1) {
    const before = catalogue.events();
    const changed = before.filter((_, place) => place % 7 === i).map(withOtherMagnitude);
    const gone = before.filter((_, place) => place % 11 === 10).map(({ id }) => id);
    await catalogue.commit({
      add: records.slice(i * part, (i + 1) * part),
      update: changed.filter(({ id }) => !gone.includes(id)),
      remove: gone,
    });
  }
  // A revision that is being written shows nothing.
  await catalogue.open({ update: catalogue.events().slice(0, 5).map(withOtherMagnitude) });
  await createModelCatalogue(model.writer).then((other) => other.commit({ add: records }));
});
afterAll(() => facade.close());

const withOtherMagnitude = (event: SeismicEvent) => ({ ...event, magnitude: 5.5 });

/** One parameter or several, and what they want. */
type Part = { readonly pairs: readonly (readonly [string, string])[]; readonly wanted: Wanted };
const NOTHING: Part = { pairs: [], wanted: {} };

function sometimes(part: fc.Arbitrary<Part>, weight = 1): fc.Arbitrary<Part> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(NOTHING) }, { weight, arbitrary: part });
}

type Text<T> = (value: T) => fc.Arbitrary<string>;
const asIs = (value: number | string) => fc.constant(String(value));

/** A parameter by one of its names, which wants its value as what `wanted` names, or makes of it. */
function one<T>(
  names: string,
  value: fc.Arbitrary<T>,
  spelled: Text<T>,
  wanted: keyof Wanted | ((value: T) => Wanted),
): fc.Arbitrary<Part> {
  const wants = (drawn: T): Wanted =>
    typeof wanted === "string" ? { [wanted]: drawn } : wanted(drawn);
  return value.chain((drawn) =>
    fc
      .tuple(spelledName(...names.split(" ")), spelled(drawn))
      .map(([name, text]) => ({ pairs: [[name, text] as const], wanted: wants(drawn) })),
  );
}

/** Two bounds, the lower one first; either may be absent. */
function bounds<T extends number | bigint>(
  value: fc.Arbitrary<T>,
  spelled: Text<T>,
  low: readonly [names: string, wanted: keyof Wanted],
  high: readonly [names: string, wanted: keyof Wanted],
): fc.Arbitrary<Part> {
  return fc.tuple(value, value, fc.constantFrom("low", "high", "both")).chain(([a, b, which]) => {
    const [least, most]: [T, T] = a <= b ? [a, b] : [b, a];
    const lower = one(low[0], fc.constant(least), spelled, low[1]);
    const upper = one(high[0], fc.constant(most), spelled, high[1]);
    if (which === "low") return lower;
    return which === "high" ? upper : fc.tuple(lower, upper).map(together);
  });
}

function together(parts: readonly Part[]): Part {
  return {
    pairs: parts.flatMap(({ pairs }) => pairs),
    wanted: Object.assign({}, ...parts.map(({ wanted }) => wanted)),
  };
}

const anyTime = fc.nat(EVENTS - 1).chain((i) =>
  fc.bigInt(-2n, 2n).map((off) => {
    const { time = committedAt(0) } = catalogue.events(VERSIONS)[i] ?? {};
    return timeToMicros(time) + off;
  }),
);
const degrees = (value: number) => spelledNumber(value / 10);
const anyLongitude = fc.oneof(
  fc.constantFrom(-3600, -1900, -1800, -1799, 0, 1799, 1800, 1900, 3600),
  fc.integer({ min: -3600, max: 3600 }),
);

const circle: fc.Arbitrary<Part> = fc
  // No event of tenths of degrees lies exactly on these circles.
  .record({
    latitude: fc.constantFrom(-90, -41.3, 0, 45, 90),
    longitude: fc.constantFrom(-360, -180, -0.1, 174.8, 179.9, 180, 190, 359.9),
    radii: fc.constantFrom(
      [0.55, 90.05],
      [undefined, 30.77],
      [60.33, undefined],
      [undefined, 179.33],
    ),
    inKm: fc.boolean(),
  })
  .chain(({ latitude, longitude, radii: [min, max], inKm }) => {
    const factor = inKm ? 1 : KM_PER_DEGREE;
    const shown = (value: number | undefined) =>
      value === undefined ? undefined : inKm ? Math.round(value * KM_PER_DEGREE) : value;
    const [low, high] = [shown(min), shown(max)];
    const wanted: Circle = {
      latitude,
      longitude,
      ...(low !== undefined && { minKm: low * factor }),
      ...(high !== undefined && { maxKm: high * factor }),
    };
    const unit = inKm ? "km" : "";
    const radius = (name: string, value: number | undefined) =>
      value === undefined
        ? fc.constant(NOTHING)
        : one(name + unit, fc.constant(value), spelledNumber, () => ({}));
    return fc
      .tuple(
        one("latitude lat", fc.constant(latitude), spelledNumber, () => ({})),
        one("longitude lon", fc.constant(longitude), spelledNumber, () => ({ circle: wanted })),
        radius("minradius", low),
        radius("maxradius", high),
      )
      .map(together);
  });

const listOf = (values: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });

const updatedAfter = fc
  .integer({ min: 0, max: VERSIONS + 1 })
  .map((version) => timeToMicros(committedAt(version)));

const DEPTHS = [-100, -10, -9.99, 0, 10, 33.5, 700, 999.9, 1000, 6000];
const MAGNITUDES = [-9, -3, -2.9, 0, 0.00001, 2.5, 4.4, 7.8, 9.9, 10, 99];
const MAGNITUDE_TYPES = listOf(["ml", "mb", "mB", "MB", "Mw", "ms"]);
const EVENT_TYPES = listOf([
  "earthquake",
  "Quarry Blast",
  "EXPLOSION",
  "unknown",
  "landslide",
  "*",
]);
const CONTRIBUTORS = fc.constantFrom("WEL", "gfz", "ZÜRICH", "nobody", "%", "W_L");
const LATITUDES = fc.oneof(fc.constantFrom(-900, 900), fc.integer({ min: -900, max: 900 }));
const SOURCE_IDS = fc.uniqueArray(fc.nat(EVENTS + 5).map(sourceId), {
  minLength: 1,
  maxLength: 60,
});
const ORDERS = ["time", "time-asc", "magnitude", "magnitude-asc"] as const;
const spelledVersion = (version: number) => fc.constantFrom(String(version), committedAt(version));

const anyQuery: fc.Arbitrary<Part> = fc
  .tuple(
    sometimes(bounds(anyTime, spelledTime, ["starttime start", "start"], ["endtime end", "end"])),
    sometimes(
      bounds(LATITUDES, degrees, ["minlatitude minlat", "south"], ["maxlatitude maxlat", "north"]),
    ),
    sometimes(one("minlongitude minlon", anyLongitude, degrees, "west"), 2),
    sometimes(one("maxlongitude maxlon", anyLongitude, degrees, "east"), 2),
    sometimes(circle),
    sometimes(
      bounds(
        fc.constantFrom(...DEPTHS),
        spelledNumber,
        ["mindepth", "minDepth"],
        ["maxdepth", "maxDepth"],
      ),
    ),
    sometimes(
      bounds(
        fc.constantFrom(...MAGNITUDES),
        spelledNumber,
        ["minmagnitude minmag", "minMagnitude"],
        ["maxmagnitude maxmag", "maxMagnitude"],
      ),
    ),
    sometimes(one("magnitudetype magtype", MAGNITUDE_TYPES, spelledList, "magnitudeTypes")),
    sometimes(one("eventtype", EVENT_TYPES, spelledList, "eventTypes")),
    sometimes(one("contributor", CONTRIBUTORS, anyCase, "contributor")),
    sometimes(one("updatedafter", updatedAfter, spelledTime, "updatedAfter")),
    sometimes(one("eventid", SOURCE_IDS, spelledList, "sourceIds")),
    sometimes(one("includedeleted", fc.constantFrom("true", "only"), anyCase, "deleted")),
    sometimes(one("asof", fc.integer({ min: 1, max: VERSIONS }), spelledVersion, "version")),
    sometimes(one("orderby", fc.constantFrom(...ORDERS), anyCase, "order"), 3),
    sometimes(one("limit", fc.constantFrom(1, 2, 20, 20_000), asIs, "limit")),
    sometimes(one("offset", fc.constantFrom(1, 2, 30, 5_000), asIs, "offset")),
  )
  .map(together);

const FORMATS = ["xml", "quakeml", "text", "geojson", "csv", "kml", "json"];

/** The source ids of an answer of any format, each once, in their order. */
const idsIn = (answer: string) => [...new Set(answer.match(SOURCE_ID))];

describe("the event service", () => {
  test("any query in any spelling selects what looking through all events selects, in every format, and counts it", async () => {
    const found = { none: 0, some: 0 };
    await fc.assert(
      fc.asyncProperty(
        anyQuery.chain(({ pairs, wanted }) => queryString(pairs).map((text) => ({ text, wanted }))),
        fc.constantFrom(...FORMATS),
        async ({ text, wanted }, format) => {
          if (meansRemoved(catalogue, wanted)) {
            const gone = facade.query(catalogue.id, text);
            await expect(gone).rejects.toMatchObject({ code: "GONE" });
            return;
          }
          const expected = paged(fulfilling(catalogue, wanted), wanted).map(
            ({ source_id }) => source_id,
          );
          found[expected.length > 0 ? "some" : "none"] += 1;
          const answer = await facade.query(catalogue.id, `${text}&format=${format}`);
          // A single event that is asked for by its id comes without a list, and names others nowhere.
          expect(idsIn(answer.replace(/<!--.*?-->|"url":"[^"]*"/gs, withoutQuery))).toEqual(
            expected,
          );
          expect(await facade.count(catalogue.id, text)).toBe(expected.length);
        },
      ),
      { numRuns: runs(400, 1 / 10) },
    );
    expect(Math.min(found.none, found.some)).toBeGreaterThan(5);
  });

  test("a follower who asks for what was updated since its last question misses nothing", async () => {
    const known = new Map<string, number | null>();
    for (let version = 1; version <= VERSIONS; version += 1) {
      const since = committedAt(version - 1);
      const query = `updatedafter=${since}&asof=${version}&format=text`;
      const [, ...lines] = (await facade.query(catalogue.id, query)).trimEnd().split("\n");
      for (const line of lines) {
        const cells = line.split("|");
        known.set(cells[0] ?? "", cells[10] === "" ? null : Number(cells[10]));
      }
    }
    for (const { source_id: id, magnitude } of catalogue.events()) {
      expect([id, known.get(id ?? "")]).toEqual([id, magnitude]);
    }
  });

  test("pages by offset and limit join to the whole, in every order", async () => {
    for (const order of ORDERS) {
      const whole = idsIn(await facade.query(catalogue.id, `format=csv&orderby=${order}`));
      const pages: string[] = [];
      for (let offset = 1; offset <= whole.length; offset += 37) {
        const query = `format=csv&orderby=${order}&limit=37&offset=${offset}`;
        pages.push(...idsIn(await facade.query(catalogue.id, query)));
      }
      expect(pages).toEqual(whole);
    }
  });
});

/** The address that was asked for may hold ids, too. */
function withoutQuery(text: string): string {
  return text.replace(/\?[^"]*/, "");
}

describe("ids", () => {
  let facade: FacadeReads;
  let catalogue: ModelCatalogue;

  function record(sourceId: string | null, publicId?: string): SeismicEventRecord {
    return {
      ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
      source_id: sourceId,
      extra: publicId === undefined ? null : { public_id: publicId },
    };
  }

  const STORED: readonly SeismicEventRecord[] = [
    record("2024p344188", "smi:nz.org.geonet/2024p344188"),
    record("us7000abcd"),
    record(
      "ci15481673",
      "quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml",
    ),
    record("1", "smi:a/event/1"),
    record("smi:b/event/1", "smi:b/event/1"),
    record("smi:c/2024abcd/event#"),
    record("quakeml:d/evid=600516598"),
    record("a, b"),
    record("2024/1", "2024/1"),
    record("7"),
    record(null, "smi:a/event/2"),
    record(null, `smi:long/${"é".repeat(246)}`),
    record(null),
    record("{\"'\\%_"),
  ];

  beforeAll(async () => {
    facade = createFacadeReads(model);
    catalogue = await createModelCatalogue(model.writer);
    await catalogue.commit({ add: STORED });
    await catalogue.commit({ add: [...STORED, record("7", "smi:e/7")] });
    const [first, second, third] = catalogue.events();
    if (first === undefined || second === undefined || third === undefined) throw new Error("none");
    const renamed = { ...second, source_id: "renamed", extra: { public_id: "smi:f/renamed" } };
    await catalogue.commit({ update: [{ ...first, magnitude: 1 }, renamed], remove: [third.id] });
    await catalogue.open({ remove: catalogue.events().map(({ id }) => id) });
  });
  afterAll(() => facade.close());

  /** Whether a text is one of an event's ids (`contracts/docs/event-service.md`, FDSN event service). */
  function isMeant(event: SeismicEvent, text: string): boolean {
    const { sourceId, publicId } = idsOf(event);
    const hex = event.id.replaceAll("-", "");
    const own = [event.id, hex, EVENT_ID_PATH + event.id, EVENT_ID_PATH + hex];
    if (own.includes(text)) return true;
    const isPublic = sourceId !== null && sourceId === publicId;
    const words = [sourceId, isPublic ? bareId(sourceId) : null].filter((word) => word !== null);
    if (words.some((word) => text === word || text === SOURCE_ID_PATH + word)) return true;
    if (publicId !== null) return publicId === text;
    // Ids that our QuakeML makes are of nobody else; several ids are no bare one.
    if (text.startsWith(OWN_AUTHORITY) || text.includes(",")) return false;
    return bareId(text) !== text && bareId(text) === sourceId;
  }

  function earlierEvents(version: number): readonly SeismicEvent[] {
    return version === 1 ? [] : [...catalogue.events(version - 1), ...earlierEvents(version - 1)];
  }

  function formsOf(event: SeismicEvent): string[] {
    const { sourceId, publicId } = idsOf(event);
    const hex = event.id.replaceAll("-", "");
    const named = [sourceId, publicId].flatMap((id) => (id === null ? [] : [id, bareId(id)]));
    return [
      event.id,
      hex.toLowerCase(),
      EVENT_ID_PATH + hex,
      EVENT_ID_PATH + event.id,
      ...named,
      ...named.map((id) => SOURCE_ID_PATH + id),
      ...named.map((id) => `smi:g/${id}`),
    ];
  }

  test("every id of an event finds it, in the version asked for, and no other id does", async () => {
    const versions = [1, 2, 3];
    const texts = [
      ...new Set(versions.flatMap((version) => catalogue.events(version).flatMap(formsOf))),
      "nothing",
      "%",
      "renamed",
      "smi:f/renamed",
    ].filter((text) => !text.includes(","));
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(texts, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...versions),
        async (some, version) => {
          const expected = catalogue
            .events(version)
            .filter((event) => some.some((text) => isMeant(event, text)))
            .map(({ id }) => id.replaceAll("-", ""))
            .sort();
          const query = `eventid=${encodeURIComponent(some.join(","))}&asof=${version}`;
          const wasThere = earlierEvents(version).some((event) =>
            some.some((text) => isMeant(event, text)),
          );
          if (expected.length === 0 && wasThere) {
            await expect(facade.query(catalogue.id, query)).rejects.toMatchObject({ code: "GONE" });
            return;
          }
          const xml = await facade.query(catalogue.id, query);
          const ids = [...xml.matchAll(/<origin publicID="[^"]*\/(\w{32})"/g)].map(([, id]) => id);
          expect(ids.sort()).toEqual(expected);
          expect(await facade.count(catalogue.id, query)).toBe(expected.length);
        },
      ),
      { numRuns: runs(400, 1 / 10) },
    );
  });

  test("the id that each format shows finds the event again", async () => {
    const version = 1;
    for (const { id } of catalogue.events(version)) {
      const ask = (format: string, text = id) =>
        facade.query(
          catalogue.id,
          `eventid=${encodeURIComponent(text)}&asof=${version}&format=${format}`,
        );
      const shown = {
        xml: /<event publicID="([^"]+)"/.exec(await ask("xml"))?.[1]?.replaceAll("&amp;", "&"),
        text: (await ask("text")).split("\n")[1]?.split("|")[0],
        geojson: JSON.parse(await ask("geojson")).id,
        json: JSON.parse(await ask("json")).features[0].id,
      };
      for (const [format, text] of Object.entries(shown)) {
        const xml = await ask("xml", text ?? "");
        const hex = id.replaceAll("-", "");
        expect([format, text, xml.includes(`origin/${hex}`)]).toEqual([format, text, true]);
      }
    }
  });
});
