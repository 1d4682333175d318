import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINUS } from "#contracts/plots/numbers.ts";
import type { LocatedEvent } from "#services/console/api/located-event.ts";
import { csvOfList, eventRow, isoTime } from "#services/console/features/analytics/csv.ts";
import { curlLine, obspyLines } from "#services/console/features/analytics/elsewhere-lines.ts";
import { factsOf } from "#services/console/features/analytics/facts.ts";
import { solutionChanges } from "#services/console/features/event/history-changes.ts";
import { digitsOfPlace, placeMargin } from "#services/console/features/event/uncertainty.ts";
import { differencesOf, type ReviewPair } from "#services/console/features/merge/review/queue.ts";
import { overlap } from "#services/console/model/error-ellipse.ts";
import {
  changedLines,
  labelOf,
  ROWS,
  toldMargin,
  toldValue,
} from "#services/console/ui/text/attribute-names.ts";
import { csvOf } from "#services/console/ui/text/files.ts";
import {
  ago,
  aligned,
  count,
  counted,
  day,
  decimal,
  duration,
  elapsed,
  given,
  latitude,
  longitude,
  magnitudeName,
  measured,
  minute,
  time,
  UNKNOWN,
  versionName,
} from "#services/console/ui/text/format.ts";
import { columnsOf } from "./columns.ts";

const read = (text: string): number => Number(text.replace("−", "-"));

describe("a number without an uncertainty", () => {
  test("stands as it was given, with no more decimals than its kind has", () => {
    expect(given(6.1, "magnitude")).toBe("6.1");
    expect(given(6, "magnitude")).toBe("6");
    expect(given(1.999672212, "magnitude")).toBe("2");
    expect(given(2.47, "magnitude")).toBe("2.47");
    expect(given(Math.fround(5.1), "depth")).toBe("5.1");
    expect(given(12.34, "depth")).toBe("12.34");
    expect(given(12.34567, "depth")).toBe("12.3");
    expect(given(-38.796712345, "degrees")).toBe("−38.7967");
    expect(given(-0.000001, "degrees")).toBe("0");
    expect(given(null, "depth")).toBe("–");
    expect(given(Number.NaN, "depth")).toBe("–");
  });

  test("is never farther from what was given than half of its last decimal", () => {
    fc.assert(
      fc.property(fc.double({ min: -1_000, max: 1_000, noNaN: true }), (value) => {
        expect(Math.abs(read(given(value, "depth")) - value)).toBeLessThanOrEqual(0.051);
        expect(given(value, "depth")).toMatch(/^−?\d+(\.\d{1,2})?$/);
      }),
    );
  });
});

describe("a number with an uncertainty", () => {
  test("has the digits that this supports", () => {
    expect(measured(1.999672212, 0.203217674, "magnitude")).toEqual(["2.0", "0.2"]);
    expect(measured(6.1, 0.14, "magnitude")).toEqual(["6.10", "0.14"]);
    expect(measured(6.1, 0.1, "magnitude")).toEqual(["6.1", "0.1"]);
    expect(measured(33.4, 12.2, "depth")).toEqual(["33", "12"]);
    expect(measured(-38.79671, 0.0123456789, "degrees")).toEqual(["−38.797", "0.012"]);
    expect(measured(5, 0, "depth")).toEqual(["5", "0"]);
    expect(measured(null, 0.2, "depth")).toEqual(["–", "0.2"]);
    expect(measured(7.123456, null, "depth")).toEqual(["7.1", null]);
  });

  test("never has nine, however small the uncertainty is", () => {
    expect(measured(175.123456789, 1e-9, "degrees")).toEqual(["175.123457", "10⁻⁹"]);
  });
});

describe("numbers of a column", () => {
  test("say what they lack to stand with their points below each other", () => {
    expect(aligned(6.1, "magnitude")).toEqual(["6.1", "0"]);
    expect(aligned(6, "magnitude")).toEqual(["6", ".00"]);
    expect(aligned(-2.25, "magnitude")).toEqual(["−2.25", ""]);
    expect(aligned(44, "angle")).toEqual(["44", ""]);
    expect(aligned(null, "magnitude")).toEqual(["–", ""]);
  });
});

describe("the name of a magnitude", () => {
  test("has its type, once", () => {
    expect(magnitudeName(7.8, "Mw")).toEqual(["Mw 7.8", null]);
    expect(magnitudeName(2.6, "M")).toEqual(["M 2.6", null]);
    expect(magnitudeName(2.6, null)).toEqual(["M 2.6", null]);
    expect(magnitudeName(1.9996, "ML", 0.2032)).toEqual(["ML 2.0", "0.2"]);
    expect(magnitudeName(null, "ML")).toEqual(["Magnitude unknown", null]);
  });
});

/** A text that is shown, as the number it stands for. */
const readGrouped = (text: string): number => Number(text.replaceAll(",", "").replace(MINUS, "-"));

describe("whole numbers", () => {
  test("are grouped by thousands and read back", () => {
    expect([count(0), count(999), count(18_650), count(-1_000_000)]).toEqual([
      "0",
      "999",
      "18,650",
      `${MINUS}1,000,000`,
    ]);
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const text = count(value);
        expect(readGrouped(text) === value).toBe(true);
        expect(text).toMatch(/^\u2212?\d{1,3}(?:,\d{3})*$/);
      }),
    );
  });

  test("stand with their noun, one of it without an s", () => {
    expect([0, 1, 2, 1_234].map((value) => counted(value, "event"))).toEqual([
      "0 events",
      "1 event",
      "2 events",
      "1,234 events",
    ]);
    expect([0, 1, 2].map((value) => counted(value, "account"))).toEqual([
      "0 accounts",
      "1 account",
      "2 accounts",
    ]);
  });

  test("of versions stand behind their noun, as do times", () => {
    expect([1, "1234", "2016-11-13"].map(versionName)).toEqual(["1", "1,234", "of 2016-11-13"]);
  });
});

describe("decimals", () => {
  test("have so many digits and a true minus", () => {
    expect([decimal(4.25, 2), decimal(-4.25, 2), decimal(5, 1)]).toEqual([
      "4.25",
      `${MINUS}4.25`,
      "5.0",
    ]);
  });

  test("that round to nothing have no sign", () => {
    expect([decimal(-0.001, 1), decimal(-0, 0), decimal(-0.04, 1), decimal(-0.06, 1)]).toEqual([
      "0.0",
      "0",
      "0.0",
      `${MINUS}0.1`,
    ]);
  });

  test("that are not known are a dash", () => {
    expect([null, undefined, Number.NaN].map((value) => decimal(value, 1))).toEqual([
      UNKNOWN,
      UNKNOWN,
      UNKNOWN,
    ]);
  });

  test("are as near to the number as their digits allow", () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 6 }), (value, digits) => {
        const text = decimal(value, digits);
        expect(Math.abs(readGrouped(text) - value)).toBeLessThanOrEqual(0.5 * 10 ** -digits + 1e-9);
        expect(text.split(".")[1]?.length ?? 0).toBe(digits);
        expect(text.startsWith(MINUS)).toBe(readGrouped(text) < 0);
      }),
    );
  });
});

describe("degrees", () => {
  test("name their half of the world", () => {
    expect([latitude(-42.69), latitude(42.69, 1), longitude(173.02), longitude(-0.5, 2)]).toEqual([
      "42.6900° S",
      "42.7° N",
      "173.0200° E",
      "0.50° W",
    ]);
  });

  test("of the equator and of Greenwich are north and east, also where they round to it", () => {
    expect([latitude(0), latitude(-0.00001), longitude(0, 0), longitude(-0.2, 0)]).toEqual([
      "0.0000° N",
      "0.0000° N",
      "0° E",
      "0° E",
    ]);
  });

  test("read back", () => {
    fc.assert(
      fc.property(fc.double({ min: -180, max: 180, noNaN: true }), (value) => {
        const [, degrees = "", half] = /^([\d.]+)° ([EW])$/.exec(longitude(value, 6)) ?? [];
        expect(Number(degrees) * (half === "W" ? -1 : 1)).toBeCloseTo(value, 5);
      }),
    );
  });
});

describe("times", () => {
  const iso = "2016-11-13T11:02:56.346123Z";

  test("keep the fraction that they have, to the minute or the day none", () => {
    expect([time(iso), minute(iso), day(iso)]).toEqual([
      "2016-11-13 11:02:56.346123",
      "2016-11-13 11:02",
      "2016-11-13",
    ]);
    expect(time("2016-11-13T11:02:56Z")).toBe("2016-11-13 11:02:56");
  });

  test("are the parts of their text", () => {
    const given = fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(given, (date) => {
        const text = date.toISOString();
        expect(time(text).startsWith(minute(text))).toBe(true);
        expect(minute(text).startsWith(day(text))).toBe(true);
        expect(new Date(`${time(text).replace(" ", "T")}Z`)).toEqual(date);
      }),
    );
  });

  test("from now are told in the largest unit that has passed whole", () => {
    const now = Date.parse("2026-11-24T12:00:00Z");
    const before = (seconds: number) => ago(new Date(now - seconds * 1_000).toISOString(), now);
    expect([0, 59, 60, 119, 3_600, 86_399, 86_400, 40 * 86_400, 400 * 86_400].map(before)).toEqual([
      "just now",
      "just now",
      "1 minute ago",
      "1 minute ago",
      "1 hour ago",
      "23 hours ago",
      "1 day ago",
      "1 month ago",
      "1 year ago",
    ]);
    expect(before(-7_200)).toBe("in 2 hours");
  });
});

test("a time that something takes reads back as its whole seconds", () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(999), (seconds, rest) => {
      const parts = elapsed(seconds * 1_000 + rest).split(":");
      expect(parts.reduce((sum, part) => sum * 60 + Number(part), 0)).toBe(seconds);
      expect(parts.length).toBe(seconds < 3_600 ? 2 : 3);
      expect(parts.slice(1).every((part) => part.length === 2)).toBe(true);
    }),
  );
});

test("clocks that differ make no negative time", () => {
  expect(elapsed(-5_000)).toBe("0:00");
});

test("a duration is told in the largest unit of which there is one", () => {
  expect(duration(4.169)).toBe("4.17 seconds");
  expect(duration(166_224)).toBe("1.92 days");
  expect(duration(2 * 365.25 * 86_400)).toBe("2 years");
});

describe("an uncertainty", () => {
  test("of a place is a distance, else its latitude's and longitude's", () => {
    const degrees = { latitude_uncertainty: 0.0123456, longitude_uncertainty: 0.02 };
    expect(placeMargin({ horizontal_uncertainty: 1.2, ...degrees })).toBe("± 1.2 km");
    expect(placeMargin({ horizontal_uncertainty: null, ...degrees })).toBe(
      "± 0.012° N–S, ± 0.02° E–W",
    );
    expect(placeMargin({ latitude_uncertainty: 0.01 })).toBe("");
  });

  test("of a place decides how many decimals its degrees have", () => {
    expect(digitsOfPlace({})).toBe(4);
    expect(digitsOfPlace({ horizontal_uncertainty: 8 })).toBe(2);
    expect(digitsOfPlace({ horizontal_uncertainty: 1.5 })).toBe(3);
    expect(digitsOfPlace({ horizontal_uncertainty: 0.001 })).toBe(4);
    expect(digitsOfPlace({ latitude_uncertainty: 3 })).toBe(0);
  });

  test("stands beside its value, whose digits it decides", () => {
    const event = {
      depth: 5.123456789,
      depth_uncertainty: 1.2345678,
      latitude: -38.712345678,
      time_uncertainty: 0.4,
      azimuthal_gap: 44.2,
      magnitude_type: "M",
      used_phase_count: 87,
    };
    expect([toldValue("depth", event), toldMargin("depth", event)]).toEqual(["5.1 km", "± 1.2 km"]);
    expect([toldValue("latitude", event), toldMargin("latitude", event)]).toEqual([
      "−38.7123°",
      "",
    ]);
    expect(toldMargin("time", event)).toBe("± 0.4 s");
    expect(toldValue("azimuthal_gap", event)).toBe("44°");
    expect(toldValue("magnitude_type", event)).toBe("M");
    expect(toldValue("used_phase_count", event)).toBe("87");
    expect(toldValue("magnitude", event)).toBe("–");
  });

  test("has no row of its own among the attributes", () => {
    const rows = ROWS.flatMap((group) => group.rows);
    expect(rows.find(({ name }) => name === "depth")?.sigma).toBe("depth_uncertainty");
    expect(rows.some(({ name }) => name === "depth_uncertainty")).toBe(false);
    expect(rows.some(({ name }) => name === "horizontal_uncertainty")).toBe(true);
    expect(labelOf("standard_error")).toBe("RMS of the residuals");
  });
});

test("an event's row has the digits of single precision, microseconds, and nothing where nothing is known", () => {
  const columns = columnsOf({
    time: [Date.UTC(2016, 10, 13, 11, 2, 56, 346) + 0.12],
    latitude: [-42.69],
    longitude: [173.022],
    depth: [15.1],
    magnitude: [null],
  });
  expect(csvOf(["id", "time"], [eventRow(columns, 0)])).toBe(
    "id,time\r\n0,2016-11-13T11:02:56.346120Z,-42.69,173.022,15.1,\r\n",
  );
});

test("a time before 1970 keeps its microseconds", () => {
  expect(isoTime(-0.5)).toBe("1969-12-31T23:59:59.999500Z");
  expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
});

test("texts that a spreadsheet would run as formulas are guarded, negative numbers are not", () => {
  expect(
    csvOf(
      ["name", "value"],
      [
        ["=1+1", -1],
        ["plain", null],
      ],
    ),
  ).toBe("name,value\r\n'=1+1,-1\r\nplain,\r\n");
});

type Event = Parameters<typeof changedLines>[0];

const EVENT = {
  time: "2016-11-13T11:02:56.346Z",
  latitude: -42.69,
  longitude: 173.02,
  depth: 15.1,
  magnitude: 1.999672212,
  magnitude_uncertainty: 0.203217674,
  region: null,
} as Event;

describe("what a version changed of an event", () => {
  test("is told as people read it, and nothing else of the event", () => {
    const after = { ...EVENT, magnitude: 2.6, region: "Kaikōura", depth: null } as Event;
    expect(changedLines(EVENT, after)).toEqual([
      { label: "Depth", from: "15.1 km", to: "–" },
      { label: "Region", from: "–", to: "Kaikōura" },
      { label: "Magnitude", from: "2.0", to: "2.6" },
    ]);
    expect(changedLines(EVENT, { ...EVENT })).toEqual([]);
  });

  test("is told by every digit where it lies in those that mean nothing", () => {
    expect(changedLines(EVENT, { ...EVENT, magnitude: 1.999672213 })).toEqual([
      { label: "Magnitude", from: "1.999672212", to: "1.999672213" },
    ]);
  });

  test("names structures that came, went or differ", () => {
    const plane = (strike: number) => [{ nodalPlanes: { nodalPlane1: { strike } } }];
    const label = "Focal mechanisms";
    const lines = (from: unknown, to: unknown) =>
      changedLines(
        { ...EVENT, focal_mechanisms: from } as Event,
        { ...EVENT, focal_mechanisms: to } as Event,
      );
    expect(lines(null, plane(1))).toEqual([{ label, from: "none", to: "given" }]);
    expect(lines(plane(1), plane(2))).toEqual([{ label, from: "as before", to: "others" }]);
    expect(lines(plane(1), undefined)).toEqual([{ label, from: "as before", to: "none" }]);
    expect(lines(null, undefined)).toEqual([]);
  });
});

test("what a version changed in a bulletin is counted by kind, and the event's own members named", () => {
  const of = (kind: string, change: "added" | "updated" | "removed", members?: string[]) => ({
    kind,
    publicID: "smi:local/one",
    change,
    ...(members && { members }),
  });
  const solutions = [
    of("origin", "added"),
    of("focalMechanism", "updated", ["misfit"]),
    of("focalMechanism", "updated", ["misfit"]),
    of("stationMagnitude", "removed"),
    of("event", "updated", ["preferredOriginID", "comment"]),
  ];
  expect(solutionChanges({ solutions, solutionsTruncated: true })).toBe(
    "+1 origin, ±2 focal mechanisms, −1 station magnitude, preferred origin, comment, more",
  );
  expect(solutionChanges({})).toBeNull();
});

const SHOWN = {
  origin: "https://example.org",
  catalogue: "/api/catalogues/c",
  version: 3,
  isPublic: true,
  filters: {},
};

test("a shell takes curl's line as it is meant, whatever stands in it", () => {
  const body = { method: "it's $HOME" };
  expect(curlLine({ address: "/api/x?eventType=it's&a=1", body }, SHOWN)).toBe(
    [
      'curl -H "authorization: Bearer $TOKEN"',
      "'https://example.org/api/x?eventType=it'\\''s&a=1'",
      `--json '{"method":"it'\\''s $HOME"}'`,
    ].join(" "),
  );
});

test("a public catalogue is read without a token, a private one with it", () => {
  const answer = { address: "/api/x" };
  expect(curlLine(answer, SHOWN)).toBe("curl 'https://example.org/api/x'");
  const hidden = { ...SHOWN, isPublic: false };
  expect(curlLine(answer, hidden)).toContain("$TOKEN");
  expect(obspyLines(hidden)).toContain('/versions/3", user=TOKEN_ID, password=TOKEN)');
});

test("ObsPy asks for the same events as far as event services know the filters", () => {
  const filters = {
    startTime: "2016-11-13",
    minMagnitude: "+2",
    magnitudeType: 'Mw,"x"',
    maxAzimuthalGap: "180",
  };
  expect(obspyLines({ ...SHOWN, filters }).split("\n")).toEqual([
    "from obspy import UTCDateTime",
    "from obspy.clients.fdsn import Client",
    'client = Client("https://example.org/api/catalogues/c/versions/3")',
    'events = client.get_events(starttime=UTCDateTime("2016-11-13"), minmagnitude=2, magnitudetype="Mw,\\"x\\"")',
    "# not known to event services: azimuthal gap ≤ 180°",
  ]);
});

test("ObsPy asks for the same polygon and the same region", () => {
  const filters = {
    polygon: "POLYGON ((174 -41, 176 -41, 175 -39, 174 -41))",
    region: "3b241101-e2bb-4255-8caf-4136c566a962",
  };
  expect(obspyLines({ ...SHOWN, filters })).toContain(
    'get_events(polygon="POLYGON ((174 -41, 176 -41, 175 -39, 174 -41))", region="3b241101-e2bb-4255-8caf-4136c566a962")',
  );
});

describe("an analysis", () => {
  test("is saved as CSV, a list of it with quotes where they are needed, without the lists in its rows", () => {
    const bins = [
      { magnitude: 1.5, count: 2, points: [1] },
      { magnitude: 1.6, note: 'a "b", c', points: [] },
    ];
    expect(csvOfList({ bins }, "bins")).toBe(
      'magnitude,count,note\r\n1.5,2,\r\n1.6,,"a ""b"", c"\r\n',
    );
    expect(csvOfList({ bins, series: [{ b: null }] }, "series")).toBe("b\r\n\r\n");
    expect(csvOfList({ bins: [] }, "bins")).toBeNull();
  });

  test("is told in the field's names, numbers as far as their errors let them be known", () => {
    const estimate = {
      mc: 1.6,
      n: 6152,
      b: 0.9235871922673666,
      sigma: 0.04285465455735956,
      bUnbiased: 0.9220244389809583,
      aAnnual: 3.473890022475241,
      rate: 99.11754002469715,
      parts: [],
    };
    expect(factsOf("b-value", estimate)).toEqual([
      { name: "Mc", text: "1.6" },
      { name: "Events used", text: "6,152" },
      { name: "b", text: "0.92 ± 0.04" },
      { name: "b, unbiased", text: "0.92" },
      { name: "a, annual (log₁₀ of M ≥ 0)", text: "3.47" },
      { name: "Rate of M ≥ Mc, per year", text: "99.1" },
    ]);
  });

  test("has its own words where another calls something else alike", () => {
    expect(factsOf("completeness", { p: 0.2, sigma: 0.19 })).toEqual([
      { name: "Probability", text: "0.2" },
      { name: "Detection fails over", text: "0.19 magnitude units" },
    ]);
    expect(factsOf("omori", { K: -2, p: 1.1, sigmaP: null })).toEqual([
      { name: "K", text: "\u22122 events · days^(p−1)" },
      { name: "p", text: "1.1" },
    ]);
    expect(factsOf("moment", { total: 1_873_112_854_920_000_000, largestShare: 0.949 })).toEqual([
      { name: "Total moment", text: "1.87 · 10¹⁸ N·m" },
      { name: "Its part of the total", text: "94.9 %" },
    ]);
    expect(factsOf("quality", { q: { mean: 73.3256, grades: { A: 4 } } })).toEqual([
      { name: "Quality Q, mean", text: "73.3 of 100" },
    ]);
  });
});

const event = (id: string, change: Partial<ReviewPair["first"]> = {}): ReviewPair["first"] => ({
  catalogue_id: `of ${id}`,
  event_id: id,
  source_id: null,
  source: id,
  time: "2016-11-13T11:02:56Z",
  latitude: -42,
  longitude: 173,
  depth: 10,
  magnitude: 5,
  ...change,
});

const pairOf = (id: string, change: Partial<ReviewPair> = {}): ReviewPair => ({
  id,
  first: event("a"),
  second: event("b"),
  time_difference: 0,
  distance: 0,
  magnitude_difference: 0,
  claim: null,
  later: false,
  note: null,
  ...change,
});

const located = (place: { latitude: number; longitude: number }, km: number): LocatedEvent => ({
  event: { ...place } as LocatedEvent["event"],
  ellipse: { longKm: km, shortKm: km / 2, azimuth: 0 },
});

test("the differences of a pair stand in words", () => {
  const second = event("b", {
    time: "2016-11-13T11:03:08.5Z",
    longitude: 173.3,
    depth: 25,
    magnitude: 4.2,
  });
  const pair = pairOf("p", {
    second,
    time_difference: 12.5,
    distance: 24.8,
    magnitude_difference: 0.8,
  });
  expect(differencesOf(pair, null, null)).toEqual([
    "The second is 12.5 s later.",
    "The second lies 24.8 km E of the first.",
    "The second is 15 km deeper.",
    "The second’s magnitude is 0.8 smaller.",
  ]);
  const apart = differencesOf(pair, located(pair.first, 20), located(second, 2));
  expect(apart).toContain("Their error ellipses do not touch.");
  const near = differencesOf(pair, located(pair.first, 20), located(second, 60));
  expect(near).toContain("Their error ellipses overlap.");
});

test("an ellipse within another overlaps it; one that lies across the short side does not", () => {
  const middle = { latitude: 0, longitude: 179.99 };
  const north = { latitude: 0.45, longitude: -179.99 };
  const long = { longKm: 60, shortKm: 5, azimuth: 0 };
  const small = { longKm: 2, shortKm: 2, azimuth: 0 };
  expect(overlap(middle, long, north, small)).toBe(true);
  expect(overlap(middle, { ...long, azimuth: 90 }, north, small)).toBe(false);
  expect(overlap(middle, small, middle, long)).toBe(true);
});
