import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SERVICE_DIALECTS, type ServiceDialect } from "#contracts/events/imports.ts";
import { descriptionUrl, readDescription } from "#infra/agency/agency-client.ts";
import type { PlacedEvent } from "#infra/agency/answer.ts";
import {
  AgencyError,
  AgencyTimeout,
  AgencyUnavailable,
  agencyErrorCode,
  CircuitOpen,
  isAgencyFailure,
  startIdleTimer,
} from "#infra/agency/http/exchange.ts";
import {
  type AgencyQuery,
  answerForm,
  askedBounds,
  dialectOf,
  longitudeBoxes,
  requestUrl,
  spanOf,
  type TimeWindow,
  takesUpdatedAfter,
} from "#infra/agency/query.ts";
import {
  createAnswerCap,
  createQueryTest,
  createSuspiciousReader,
  type WindowReader,
} from "#infra/agency/windows.ts";
import { wadl } from "#infra/formats/facade/fdsn-documents.ts";
import { createRequestSlots } from "#infra/kernel/fair-queue.ts";
import { retryAfterMs } from "#infra/kernel/waiting.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

testRows(
  "the dialect of a service is told by its host",
  [
    ["https://service.geonet.org.nz/fdsnws/event/1", "geonet"],
    ["https://earthquake.usgs.gov/fdsnws/event/1/", "comcat"],
    ["http://www.isc.ac.uk/fdsnws/event/1", "isc"],
    ["https://WWW.SeismicPortal.eu/fdsnws/event/1", "emsc"],
    ["https://geofon.gfz.de/fdsnws/event/1", "seiscomp"],
    ["https://webservices.ingv.it/fdsnws/event/1", "fdsn"],
    ["https://geonet.org.nz.example/fdsnws/event/1", "fdsn"],
    ["https://notusgs.gov/fdsnws/event/1", "fdsn"],
    ["http://127.0.0.1:8080/fdsnws/event/1", "fdsn"],
  ] as const,
  (url, dialect) => {
    expect(dialectOf(url)).toBe(dialect);
  },
);

const ORIGINS_AND_MAGNITUDES = ["includeallorigins", "includeallmagnitudes"];
const STANDARD = [...ORIGINS_AND_MAGNITUDES, "includearrivals"];

describe("events in full", () => {
  const formOf = (dialect: ServiceDialect, ...described: readonly string[]) =>
    answerForm(dialect, "full", async () => new Set(described));

  testRows(
    "events in full of a known dialect come in its format, with what it includes",
    [
      ["geonet", "xml", []],
      ["comcat", "xml", ORIGINS_AND_MAGNITUDES],
      ["isc", "isf", STANDARD],
      ["emsc", "xml", STANDARD],
    ] as const,
    async (dialect, format, includes) => {
      const undescribed = () => Promise.reject(new Error("the description is not asked for"));
      const form = await answerForm(dialect, "full", undescribed);
      expect([form.format, form.includes[0]]).toEqual([format, includes]);
    },
  );

  test("events in full of any other service come with what its description names of it", async () => {
    const names = ["starttime", "includearrivals", "includepicks", "includedeleted"];
    expect(await formOf("fdsn", ...names)).toEqual({
      format: "xml",
      includes: [["includearrivals", "includepicks"], ["includearrivals"], []],
    });
    expect(await formOf("seiscomp")).toEqual({ format: "xml", includes: [[]] });
  });

  test("events in full are asked for with ever less", async () => {
    const { includes } = await formOf("seiscomp", ...STANDARD, "includecomments");
    expect(includes).toEqual([[...STANDARD, "includecomments"], STANDARD, ["includearrivals"], []]);
  });
});

describe("a description", () => {
  async function read(text: string, status = 200): Promise<string[]> {
    async function* body() {
      for (let at = 0; at < text.length; at += 1000) yield Buffer.from(text.slice(at, at + 1000));
    }
    return [...(await readDescription({ status, headers: {}, body: body() }))];
  }

  test("a description of this service names all that it knows", async () => {
    const names = await read(wadl("http://localhost/fdsnws/event/1"));
    expect(names).toEqual(expect.arrayContaining(["starttime", ...STANDARD, "includepicks"]));
  });

  test("a description is read with prefixes, in any case, without what stands in comments", async () => {
    const text =
      '<w:application xmlns:w="u"><w:param name="IncludeArrivals"/><!-- <param name="includepicks"/> -->' +
      '<doc name="includecomments"/><w:param name="尺度"/></w:application>';
    expect(await read(text)).toEqual(["includearrivals", "尺度"]);
  });

  testRows(
    "a description that is broken has what was read of it",
    [
      ['<application><param name="includearrivals"/><par', ["includearrivals"]],
      ['<application><param name="includearrivals"></q><param name="x"/>', ["includearrivals"]],
      ["<html><body>no such page", []],
      ["", []],
      ["{}", []],
    ],
    async (text, names) => {
      expect(await read(text)).toEqual(names);
    },
  );

  test("a description that is refused names nothing", async () => {
    expect(await read('<application><param name="includearrivals"/></application>', 404)).toEqual(
      [],
    );
  });

  test("a description lies beside the queries", () => {
    expect(descriptionUrl("http://a/fdsnws/event/1/").href).toBe(
      "http://a/fdsnws/event/1/application.wadl",
    );
  });
});

test("a summary is text, QuakeML where there is no text, and nothing more is asked for in any dialect", async () => {
  const undescribed = () => Promise.reject(new Error("the description was asked for"));
  for (const dialect of SERVICE_DIALECTS) {
    const format = dialect === "isc" ? "xml" : "text";
    expect(await answerForm(dialect, "summary", undescribed)).toEqual({ format, includes: [[]] });
  }
});

test("what changed since a time is asked where the dialect or its description can tell", async () => {
  const asked: string[] = [];
  for (const dialect of SERVICE_DIALECTS) {
    const described = async () => {
      asked.push(dialect);
      return new Set(["updatedafter"]);
    };
    expect(await takesUpdatedAfter(dialect, described)).toBe(!/seiscomp|isc/.test(dialect));
  }
  expect(asked).toEqual(["fdsn"]);
  expect(await takesUpdatedAfter("fdsn", async () => new Set(["limit"]))).toBe(false);
});

testRows(
  "longitudes are asked for in boxes that do not cross the antimeridian or the meridian of Greenwich",
  [
    [null, null, [null]],
    [-180, 180, [null]],
    [null, 180, [null]],
    [170, 175, [{ west: 169.999, east: 175.001 }]],
    [170, null, [{ west: 169.999, east: 180 }]],
    [-180, -170, [{ west: -180, east: -169.999 }]],
    [
      170,
      -170,
      [
        { west: 169.999, east: 180 },
        { west: -180, east: -169.999 },
      ],
    ],
    [
      -179,
      179,
      [
        { west: -179.001, east: -1e-9 },
        { west: 0, east: 179.001 },
      ],
    ],
    [
      170,
      10,
      [
        { west: 169.999, east: 180 },
        { west: -180, east: -1e-9 },
        { west: 0, east: 10.001 },
      ],
    ],
    [0, 0, [{ west: 0, east: 0.001 }]],
  ],
  (minLongitude, maxLongitude, boxes) => {
    const round = (value: number) => Number(value.toFixed(9));
    const asked = longitudeBoxes({ minLongitude, maxLongitude }).map(
      (box) => box && { west: round(box.west), east: round(box.east) },
    );
    expect(asked).toEqual(boxes);
  },
);

test("an address has plain decimals, for an address with or without a slash at its end", () => {
  const form = { format: "xml", includes: [] } as const;
  const span = { startTime: "2024-05-07T00:00:00Z", endTime: "2024-05-08T00:00:00Z" };
  const query = {
    ...span,
    detail: "full",
    minMagnitude: 0.06,
    maxMagnitude: 10.06,
    minDepth: 1,
    minLatitude: -90,
    maxLatitude: 0.0009999999,
  } as const;
  for (const base of ["http://a/fdsnws/event/1", "http://a/fdsnws/event/1/"]) {
    const url = requestUrl(base, query, spanOf(query), { west: -10, east: -1e-9 }, form);
    expect(url.pathname).toBe("/fdsnws/event/1/query");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      starttime: "2024-05-06T23:59:59",
      endtime: "2024-05-08T00:00:02",
      minmagnitude: "0",
      maxmagnitude: "10.12",
      mindepth: "0",
      maxlatitude: "0.002",
      minlongitude: "-10",
      maxlongitude: "-0.000000001",
      format: "xml",
    });
  }
});

testRows(
  "Retry-After asks to wait for a time, up to a limit",
  [
    [undefined, null],
    ["5", 5_000],
    [" 0 ", 0],
    ["99999", 120_000],
    ["Tue, 07 May 2024 08:00:30 GMT", 30_000],
    ["Tue, 07 May 2024 07:00:00 GMT", 0],
    ["Tue, 07 May 2025 08:00:00 GMT", 120_000],
    ["soon", null],
  ],
  (header, expected) => {
    expect(retryAfterMs(header, Date.parse("2024-05-07T08:00:00Z"), 120_000)).toBe(expected);
  },
);

testRows(
  "errors of agencies have a code, and some are failures to the circuit",
  [
    [new AgencyUnavailable("reset"), "AGENCY_UNAVAILABLE", true],
    [new AgencyUnavailable("503", { status: 503 }), "AGENCY_UNAVAILABLE", true],
    [new AgencyUnavailable("429", { status: 429 }), "AGENCY_UNAVAILABLE", false],
    [new AgencyTimeout("silent"), "AGENCY_TIMEOUT", true],
    [new AgencyError("400", { status: 400 }), "AGENCY_ERROR", false],
    [new CircuitOpen("GeoNet"), "CIRCUIT_OPEN", false],
    [new Error("else"), null, false],
    ["no error", null, false],
  ],
  (error, code, failure) => {
    expect(agencyErrorCode(error)).toBe(code);
    expect(isAgencyFailure(error)).toBe(failure);
  },
);

test("an idle timer counts from the last byte, however many there are", () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const timer = startIdleTimer(1_000, () => new AgencyTimeout("silent"));
  for (let byte = 0; byte < 10; byte++) {
    vi.advanceTimersByTime(999);
    timer.touch();
  }
  expect(timer.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(timer.signal.reason).toEqual(new AgencyTimeout("silent"));
});

test("an idle timer that is stopped does not abort", () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const timer = startIdleTimer(1_000, () => new AgencyTimeout("silent"));
  timer.stop();
  vi.advanceTimersByTime(5_000);
  expect(timer.signal.aborted).toBe(false);
});

describe("request slots", () => {
  const signal = new AbortController().signal;

  test("request slots let so many run at a time, the others in their order", async () => {
    const slots = createRequestSlots(2);
    const started: number[] = [];
    const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const runs = ends.map(({ promise }, i) =>
      slots.run(() => {
        started.push(i);
        return promise;
      }, signal),
    );
    const haveStarted = (...which: number[]) =>
      vi.waitFor(() => expect(started).toEqual(which), { timeout: 20_000 });
    await haveStarted(0, 1);
    ends[1]?.resolve();
    await haveStarted(0, 1, 2);
    ends[2]?.resolve();
    await haveStarted(0, 1, 2, 3);
    for (const end of ends) end.resolve();
    await Promise.all(runs);
  });

  test("request slots are given back by a request that fails", async () => {
    const slots = createRequestSlots(1);
    await expect(slots.run(() => Promise.reject(new Error("reset")), signal)).rejects.toThrow();
    expect(await slots.run(async () => "next", signal)).toBe("next");
  });

  test("request slots are not waited for after an abort, and nobody's turn is lost by it", async () => {
    const slots = createRequestSlots(1);
    const first = Promise.withResolvers<string>();
    const running = slots.run(() => first.promise, signal);
    const abort = new AbortController();
    const aborted = slots.run(async () => "never", abort.signal);
    const third = slots.run(async () => "third", signal);
    abort.abort(new Error("cancelled"));
    await expect(aborted).rejects.toThrow("cancelled");
    first.resolve("first");
    expect(await Promise.all([running, third])).toEqual(["first", "third"]);
    await expect(slots.run(async () => "never", abort.signal)).rejects.toThrow("cancelled");
  });
});

const HOUR = 3_600_000_000n;
const WINDOW: TimeWindow = { from: 0n, to: 1_000n * HOUR };
const { signal } = new AbortController();

/** An agency with an event at each time that gives at most `most` of a window, in silence. */
function readerOf(times: readonly bigint[], most: number) {
  const asked: TimeWindow[] = [];
  const read: WindowReader = async (window) => {
    asked.push(window);
    const inside = times.filter((time) => time >= window.from && time < window.to);
    const events = inside.slice(0, most).map(
      (time): PlacedEvent => ({
        event: { time: "2020-01-01T00:00:00Z", source_id: `eq${time}` },
        line: 1,
        answer: "",
      }),
    );
    const rows = [events.length];
    const largestAnswer = events.length;
    return { kind: "events", events, beside: [], errors: [], repeated: 0, largestAnswer, rows };
  };
  return { read, asked };
}

const timesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => (BigInt(i) * WINDOW.to) / BigInt(count));

testRows(
  "round numbers of events are suspected, and are the cap where halves have more",
  [100, 500, 1_000],
  async (most) => {
    const { read, asked } = readerOf(timesOf(3 * most), most);
    const cap = createAnswerCap(10_000);
    expect(await createSuspiciousReader(read, cap)(WINDOW, signal)).toEqual({ kind: "tooMuch" });
    expect([cap.now(), asked.length]).toEqual([most, 3]);
  },
);

test("a window that has so many events is split once and stands", async () => {
  const { read, asked } = readerOf(timesOf(500), 10_000);
  const cap = createAnswerCap(10_000);
  const outcome = await createSuspiciousReader(read, cap)(WINDOW, signal);
  expect(outcome).toMatchObject({ kind: "events", rows: [500] });
  expect([cap.now(), asked.length]).toEqual([10_000, 3]);
});

test("other numbers are believed", async () => {
  const number = fc.integer({ min: 0, max: 1_500 }).filter((n) => ![100, 500, 1_000].includes(n));
  await fc.assert(
    fc.asyncProperty(number, async (count) => {
      const { read, asked } = readerOf(timesOf(count), 10_000);
      await createSuspiciousReader(read, createAnswerCap(10_000))(WINDOW, signal);
      expect(asked).toEqual([WINDOW]);
    }),
    { numRuns: 20 },
  );
});

const REGION = "7d1f0c9e-52a4-4c1b-8e0a-3b6f5d9a1c20";
const DAY = { startTime: "2020-01-01T00:00:00Z", endTime: "2020-01-02T00:00:00Z" };
const EVERYWHERE = { minLatitude: -90, maxLatitude: 90, minLongitude: -180, maxLongitude: 180 };
const query = (parts: Partial<AgencyQuery>): AgencyQuery => ({ ...DAY, detail: "full", ...parts });
/** A square between two meridians and two parallels. */
function squareOf(west: number, south: number, east: number, north: number) {
  const ring: [number, number][] = [];
  ring.push([west, south], [east, south], [east, north], [west, north], [west, south]);
  return { coordinates: [ring] };
}
const wktOf = ({ coordinates: [ring = []] }: ReturnType<typeof squareOf>) =>
  `POLYGON ((${ring.map((place) => place.join(" ")).join(", ")}))`;
const polygonOf = (...square: Parameters<typeof squareOf>) => wktOf(squareOf(...square));

describe("what is asked for is", () => {
  test("the bounds alone, where there is no shape", () => {
    expect(askedBounds(query({ minLatitude: -5, maxLongitude: null }))).toEqual({
      ...EVERYWHERE,
      minLatitude: -5,
    });
  });

  test("the box of the polygon within the latitudes, and the narrower longitudes", () => {
    const polygon = polygonOf(170, -50, 200, -30);
    expect(askedBounds(query({ polygon, minLatitude: -45, minLongitude: 0 }))).toEqual({
      minLatitude: -45,
      maxLatitude: -30,
      minLongitude: 170,
      maxLongitude: -160,
    });
  });

  test("all longitudes at a pole", () => {
    const polygon = polygonOf(0, 70, 10, 90);
    expect(askedBounds(query({ polygon }))).toEqual({ ...EVERYWHERE, minLatitude: 70 });
  });
});

const LATITUDE = fc.integer({ min: -90, max: 90 });
const SQUARE = fc
  .tuple(fc.integer({ min: -180, max: 179 }), LATITUDE, fc.nat(180), fc.nat(90))
  .map(([west, south, width, height]) =>
    squareOf(west, south, west + width + 1, Math.min(90, south + height + 1)),
  )
  .filter(({ coordinates }) => coordinates[0]?.[0]?.[1] !== coordinates[0]?.[2]?.[1]);
const BOUND = fc.option(fc.integer({ min: -180, max: 180 }), { nil: null });

test("whatever is wanted lies in what is asked for", () => {
  fc.assert(
    fc.property(
      ...[SQUARE, SQUARE, BOUND, BOUND, fc.integer({ min: -180, max: 180 }), LATITUDE],
      (drawn, saved, minLongitude, maxLongitude, longitude, latitude) => {
        const regionArea = { id: "", revision: "1", area: [saved.coordinates] };
        const asked = query({
          polygon: wktOf(drawn),
          region: REGION,
          regionArea,
          minLongitude,
          maxLongitude,
        });
        const event = { time: "2020-01-01T12:00:00Z", longitude, latitude };
        if (!createQueryTest(asked)(event)) return;
        expect(createQueryTest(query(askedBounds(asked)))(event)).toBe(true);
      },
    ),
    { numRuns: runs(2_000, 1 / 20) },
  );
});
