import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  PARAMETER_NAMES,
  PARAMETERS,
  type Parameter,
  type ParameterName,
} from "#contracts/fdsn/parameters.ts";
import {
  longitudesBetween,
  longNameOf,
  NO_INCLUSION,
  parseFdsnTime,
} from "#contracts/fdsn/query.ts";
import { turned, wrapLongitude } from "#contracts/geometry/globe.ts";
import { FilterTexts } from "#contracts/query/parameters.ts";
import { eventIdForms } from "#contracts/seismic-event/public-ids.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";
import { EVERYTHING, faultOf, queryOf } from "./parsed.ts";

const KM_PER_DEGREE = (6371.0088 * Math.PI) / 180;

describe("a query", () => {
  testRows(
    "a query without values asks for everything, newest first, as xml",
    ["", "?", "&", "&&&", "limit=&starttime=&format", "minmag=%20&maxmag=+"],
    (raw) => {
      expect(queryOf(raw)).toEqual(EVERYTHING);
    },
  );

  testRows(
    "a query has the filters that its parameters say",
    [
      [
        "start=2020-01-01&end=2020-02-01T12:30:15.5",
        { startTime: "2020-01-01T00:00:00Z", endTime: "2020-02-01T12:30:15.5Z" },
      ],
      [
        "starttime=2020-01-01&endtime=2020-01-01",
        { startTime: "2020-01-01T00:00:00Z", endTime: "2020-01-01T00:00:00Z" },
      ],
      ["minlat=-47.5&maxlat=-34", { minLatitude: -47.5, maxLatitude: -34 }],
      ["minlatitude=10&maxlatitude=10", { minLatitude: 10, maxLatitude: 10 }],
      ["minlatitude=-90&maxlatitude=90", {}],
      ["minlon=166&maxlon=179.5", { minLongitude: 166, maxLongitude: 179.5 }],
      ["minlongitude=170&maxlongitude=-170", { minLongitude: 170, maxLongitude: -170 }],
      ["minlongitude=170&maxlongitude=190", { minLongitude: 170, maxLongitude: -170 }],
      ["minlongitude=-190&maxlongitude=-170", { minLongitude: 170, maxLongitude: -170 }],
      ["minlongitude=359.9&maxlongitude=360", { minLongitude: -0.1, maxLongitude: 0 }],
      ["minlongitude=-180&maxlongitude=180", {}],
      ["minlongitude=0&maxlongitude=360", {}],
      ["minlongitude=-0.3&maxlongitude=359.7", {}],
      ["minlongitude=-0.3&maxlongitude=359.6", { minLongitude: -0.3, maxLongitude: -0.4 }],
      ["minlongitude=170", { minLongitude: 170, maxLongitude: 180 }],
      ["maxlongitude=-170", { minLongitude: -180, maxLongitude: -170 }],
      ["minlongitude=180&maxlongitude=180", { minLongitude: 180, maxLongitude: 180 }],
      ["lat=-41&lon=174&maxradiuskm=100", { latitude: -41, longitude: 174, maxRadiusKm: 100 }],
      ["lat=-41&lon=186&maxradiuskm=100", { latitude: -41, longitude: -174, maxRadiusKm: 100 }],
      [
        "latitude=90&longitude=-360&minradiuskm=5&maxradiuskm=20001.6",
        { latitude: 90, longitude: 0, minRadiusKm: 5, maxRadiusKm: 20001.6 },
      ],
      ["lat=0&lon=0&minradius=0&maxradius=180", {}],
      ["lat=1&lon=2", {}],
      ["lat=1&lon=2&maxradius=0", { latitude: 1, longitude: 2, maxRadiusKm: 0 }],
      ["mindepth=1e-05&maxdepth=700", { minDepth: 0.00001, maxDepth: 700 }],
      ["mindepth=+5.&maxdepth=.5e2", { minDepth: 5, maxDepth: 50 }],
      ["mindepth=-10&maxdepth=1000", {}],
      ["mindepth=-9.99&maxdepth=999.99", { minDepth: -9.99, maxDepth: 999.99 }],
      ["mindepth=2000", { minDepth: 2000 }],
      ["maxdepth=-50", { maxDepth: -50 }],
      ["mindepth=-0", { minDepth: 0 }],
      ["minmag=-3&maxmag=10", {}],
      ["minmag=99", { minMagnitude: 99 }],
      ["minmagnitude=4.5&maxmagnitude=9.9", { minMagnitude: 4.5, maxMagnitude: 9.9 }],
      ["magtype=ML,Mw, mww", { magnitudeType: ["ml", "mw", "mww"] }],
      [
        "limit=20000&offset=1&orderby=time-asc&eventtype=earthquake&maxdepth=1000&mindepth=-100&maxmagnitude=10.0&minmagnitude=0",
        { minMagnitude: 0 },
      ],
    ],
    (raw, filters) => {
      expect(queryOf(raw).filters).toStrictEqual(filters);
    },
  );

  testRows(
    "the filters of a query are ones that the service takes elsewhere",
    [
      "start=2020-01-01&end=2021-01-01&minlat=-47.5&maxlon=190&mindepth=5&maxmag=9",
      "lat=-41&lon=186&minradius=0.5&maxradius=179.9&minmag=3",
      "lat=-41&lon=186&minradiuskm=5&maxradiuskm=20001.6",
    ],
    (raw) => {
      const { filters } = queryOf(raw);
      expect(FilterTexts.parse(filters)).toEqual(filters);
    },
  );

  test("radii in degrees are kilometres along the mean great circle", () => {
    const { filters } = queryOf("lat=-41&lon=174&minradius=0.5&maxradius=179.9");
    expect(filters.minRadiusKm).toBeCloseTo(0.5 * KM_PER_DEGREE, 9);
    expect(filters.maxRadiusKm).toBeCloseTo(179.9 * KM_PER_DEGREE, 6);
  });

  testRows(
    "a query asks for what its other parameters say",
    [
      ["updatedafter=2024-05-05T10:00", { updatedAfter: "2024-05-05T10:00:00Z" }],
      ["catalog=GeoNet%20%2B%20more", { catalog: "GeoNet + more" }],
      ["catalog=New+Zealand", { catalog: "New Zealand" }],
      ["contributor=%20WEL%20", { contributor: "WEL" }],
      ["asof=12", { asOf: "12" }],
      ["asof=2024-05-05", { asOf: "2024-05-05T00:00:00Z" }],
      ["orderby=magnitude", { order: "magnitude" }],
      ["orderby=TIME-ASC", { order: "time-asc" }],
      ["orderby=magnitude-asc", { order: "magnitude-asc" }],
      ["limit=1&offset=1", { limit: 1, offset: 0 }],
      ["limit=20000&offset=20001", { limit: 20_000, offset: 20_000 }],
      ["limit=99999999999999999999", { limit: Number.MAX_SAFE_INTEGER }],
      ["format=xml", { format: "xml" }],
      ["format=QuakeML", { format: "xml" }],
      ["format=qml", { format: "xml" }],
      ["format=text", { format: "text" }],
      ["format=geojson", { format: "geojson" }],
      ["format=csv", { format: "csv" }],
      ["format=kml", { format: "kml" }],
      ["format=json", { format: "json" }],
      ["nodata=204", { noData: 204 }],
      ["nodata=404", { noData: 404 }],
      ["includeallorigins=True", { inclusion: { ...NO_INCLUSION, allOrigins: true } }],
      ["includeallmagnitudes=TRUE", { inclusion: { ...NO_INCLUSION, allMagnitudes: true } }],
      [
        "includeallorigins=false&includeallmagnitudes=FALSE&includepicks=false&includeall=false",
        {},
      ],
      ["includearrivals=true", { inclusion: { ...NO_INCLUSION, arrivals: true } }],
      [
        "includearrivals=true&includepicks=true",
        { inclusion: { ...NO_INCLUSION, arrivals: true, picks: true } },
      ],
      ["includearrivals=true&includepicks=false", { inclusion: NO_INCLUSION }],
      ["includeamplitudes=true", { inclusion: { ...NO_INCLUSION, amplitudes: true } }],
      [
        "includestationmagnitudes=true",
        { inclusion: { ...NO_INCLUSION, stationMagnitudes: true } },
      ],
      ["includecomments=true", { inclusion: { ...NO_INCLUSION, comments: true } }],
      ["includeall=true", { inclusion: { ...NO_INCLUSION, everything: true } }],
      ["magnitudescope=any", {}],
      ["magnitudescope=preferred", {}],
      [
        "magnitudescope=ANY&magnitudetype=Mw",
        { filters: { magnitudeType: ["mw"] }, anyMagnitude: true },
      ],
      ["includedeleted=false&includesuperseded=False", {}],
      ["includedeleted=True", { includeDeleted: "also" }],
      ["includedeleted=ONLY", { includeDeleted: "only" }],
      ["eventid=ev1&includesuperseded=TRUE&includedeleted=false", { eventIds: ["ev1"] }],
      ["jsonerror=true&format=geojson", { format: "geojson", jsonError: true }],
      ["jsonerror=true", {}],
      ["jsonerror=false&format=geojson", { format: "geojson" }],
      ["eventtype=*", {}],
      ["eventtype=quarry+blast,*", {}],
      ["eventtype=earthquake", { eventTypes: { values: ["earthquake"], withUnknown: true } }],
      ["eventtype=unknown", { eventTypes: { values: [], withUnknown: true } }],
      [
        "eventtype=Quarry%20Blast,LANDSLIDE,,landslide",
        { eventTypes: { values: ["quarry blast", "landslide"], withUnknown: false } },
      ],
      ["eventtype=explosion,Unknown", { eventTypes: { values: ["explosion"], withUnknown: true } }],
      ["eventid=us7000abcd", { eventIds: ["us7000abcd"] }],
      ["eventid=%20a%20,b,,a", { eventIds: ["a", "b", "a ,b,,a"] }],
      [
        "eventid=smi%3Anz.org.geonet%2F2024p344188",
        { eventIds: ["smi:nz.org.geonet/2024p344188"] },
      ],
    ],
    (raw, wanted) => {
      expect(queryOf(raw)).toEqual({ ...EVERYTHING, ...wanted });
    },
  );

  testRows(
    "a magnitude type is any case of itself, but mb is not mB",
    [
      ["mb", ["mb"], "mB"],
      ["mB", ["mb"], "mb"],
      ["MB", ["mb"], null],
      ["Mb", ["mb"], null],
      ["mb,mB", ["mb"], null],
      ["ML,mb", ["ml", "mb"], "mB"],
      ["mb,mbLg", ["mb", "mblg"], "mB"],
      ["mL", ["ml"], null],
    ],
    (types, values, except) => {
      const { filters, exceptMagnitudeType } = queryOf(`magnitudetype=${types}`);
      expect(filters.magnitudeType).toEqual(values);
      expect(exceptMagnitudeType).toBe(except);
    },
  );

  testRows(
    "a query's path may say its format",
    [
      ["", "csv", "csv"],
      ["", "QuakeML", "xml"],
      ["format=csv", "csv", "csv"],
      ["format=xml", "quakeml", "xml"],
      ["format=", "text", "text"],
    ],
    (raw, format, expected) => {
      expect(queryOf(raw, { format }).format).toBe(expected);
    },
  );

  test("the path's format and jsonerror together ask for errors as JSON", () => {
    expect(queryOf("jsonerror=true", { format: "geojson" }).jsonError).toBe(true);
  });

  testRows(
    "a count is answered as text unless it asks for another format",
    [
      ["", "text"],
      ["format=text", "text"],
      ["format=geojson", "geojson"],
      ["format=xml", "xml"],
    ],
    (raw, format) => {
      expect(queryOf(raw, { method: "count" })).toEqual({ ...EVERYTHING, format });
    },
  );
});

describe("a fault", () => {
  /** By the parameter that the message names; without a blank in any. */
  const FAULTY: Readonly<Record<string, string>> = {
    foo: "foo=1 foo=",
    "": "=1",
    constructor: "constructor",
    minmagnitude: "minmag=1&minmag=1 minmag=1&MinMagnitude=2 minmagnitude=NaN minmag=5&maxmag=4",
    starttime:
      "start=2020-01-01&starttime= starttime=yesterday starttime=2020 starttime=2020-13-01 " +
      "starttime=2020-02-30 starttime=1577836800 starttime=2020-01-02&endtime=2020-01-01 " +
      "starttime=2020-01-01T00:00:00.000001&endtime=2020-01-01",
    endtime: "endtime=2020-01-01T25:00:00 endtime=2020-01-01T24:00:01 endtime=2020-01-01T00:00:61",
    updatedafter: "updatedafter=never",
    minlatitude: "minlatitude=-90.1 minlat=2&maxlat=1",
    maxlatitude: "maxlatitude=91",
    minlongitude: "minlongitude=-360.5",
    maxlongitude: "maxlongitude=361",
    longitude: "latitude=1 lat=1&maxradius=1 lat=1&lon=400&maxradius=1",
    latitude: "longitude=1 maxradius=1 minradiuskm=0 lat=91&lon=0&maxradius=1",
    maxradius: "lat=1&lon=2&maxradius=180.1",
    minradius: "lat=1&lon=2&minradius=-1 lat=1&lon=2&minradius=3&maxradius=2",
    maxradiuskm: "lat=1&lon=2&maxradiuskm=20002 lat=1&lon=2&maxradius=3&maxradiuskm=200",
    minradiuskm: "lat=1&lon=2&minradiuskm=3&maxradiuskm=2 lat=1&lon=2&minradiuskm=3&maxradius=2",
    mindepth: "mindepth=10&maxdepth=5 mindepth=deep",
    maxdepth: "maxdepth=1,5 maxdepth=0x10",
    maxmagnitude: "maxmagnitude=Infinity maxmagnitude=1e999",
    magnitudetype: "magnitudetype=,",
    eventtype: "eventtype=quake eventtype=earthquake,quake",
    includeallorigins: "includeallorigins=yes",
    includeallmagnitudes: "includeallmagnitudes=1",
    includearrivals: "includearrivals=no",
    includepicks: "includepicks=1",
    includeall: "includeall=yes",
    magnitudescope: "magnitudescope=all magnitudescope=any&magnitudetype=Mw&format=geojson",
    includedeleted: "includedeleted=yes includedeleted=only,true",
    includesuperseded:
      "includesuperseded=true includesuperseded=true&eventid= " +
      "includesuperseded=only&eventid=ev1",
    jsonerror: "jsonerror=maybe",
    limit: "limit=0 limit=-1 limit=1.5 limit=10.0 limit=1e3",
    offset: "offset=0 offset=one",
    orderby: "orderby=depth",
    format: "format=kmz format=__proto__",
    nodata: "nodata=200",
    asof: "asof=latest asof=-1",
    has: "has=picks",
    minorigins: "minorigins=2",
    minmagnitudes: "minmagnitudes=1",
    eventid: "eventid=%00",
    catalog: "catalog=%E4 catalog=%zz",
  };

  test("a faulty query is refused for its parameter, which the message names", () => {
    const faulty = Object.entries(FAULTY).concat([["__proto__", "__proto__=1"]]);
    for (const [parameter, queries] of faulty) {
      for (const raw of queries.split(" ")) {
        const fault = faultOf(raw);
        expect(fault, raw).toMatchObject({ parameter, jsonError: false });
        expect(fault.message.startsWith(`${parameter}: `), raw).toBe(true);
      }
    }
  });

  testRows(
    "a format that the path or the method does not have is refused",
    [
      ["format=csv", { format: "text" }],
      ["", { format: "kmz" }],
      ["format=csv", { method: "count" }],
      ["format=kml", { method: "count" }],
    ] as const,
    (raw, request) => {
      expect(faultOf(raw, request).parameter).toBe("format");
    },
  );

  testRows(
    "a faulty query is answered as JSON where it asks for JSON errors of GeoJSON",
    [
      ["format=geojson&jsonerror=true&minmag=big", {}, true],
      ["FORMAT=GeoJSON&foo=1&JsonError=TRUE", {}, true],
      ["jsonerror=true&minmag=%zz", { format: "geojson" }, true],
      ["jsonerror=true&minmag=big&format=geojson", { method: "count" }, true],
      ["format=geojson&minmag=big", {}, false],
      ["format=csv&jsonerror=true&minmag=big", {}, false],
      ["jsonerror=true&minmag=big", {}, false],
    ] as const,
    (raw, request, expected) => {
      expect(faultOf(raw, request).jsonError).toBe(expected);
    },
  );
});

describe("a time of a query", () => {
  testRows(
    "a time is understood in the forms of the standard and of clients",
    [
      ["2020-01-31", "2020-01-31T00:00:00Z"],
      ["2020-01-31T06:07:08", "2020-01-31T06:07:08Z"],
      ["2020-01-31T06:07:08.5", "2020-01-31T06:07:08.5Z"],
      ["2020-01-31T06:07:08.123456", "2020-01-31T06:07:08.123456Z"],
      ["2020-01-31T06:07:08Z", "2020-01-31T06:07:08Z"],
      ["2020-01-31T06:07:08.25+01:00", "2020-01-31T05:07:08.25Z"],
      ["2020-01-31T06:07:08-10:30", "2020-01-31T16:37:08Z"],
      ["2020-01-31 06:07:08", "2020-01-31T06:07:08Z"],
      ["2020-01-31T06:07", "2020-01-31T06:07:00Z"],
      ["2020-01-31T24:00:00", "2020-02-01T00:00:00Z"],
      ["2016-12-31T23:59:60", "2017-01-01T00:00:00Z"],
      ["2016-12-31T23:58:60.5Z", "2016-12-31T23:59:00.5Z"],
    ],
    (text, expected) => {
      expect(parseFdsnTime(text)).toBe(expected);
      expect(queryOf(`starttime=${encodeURIComponent(text)}`).filters.startTime).toBe(expected);
      expect(queryOf(`updatedafter=${encodeURIComponent(text)}`).updatedAfter).toBe(expected);
    },
  );

  testRows(
    "a time of more than six decimals is cut, as a start and as an end",
    [
      ["2020-01-31T06:07:08.1234567", "08.123456Z"],
      ["2020-01-31 06:07:08.999999999Z", "08.999999Z"],
    ],
    (text, second) => {
      const { filters } = queryOf(`starttime=${text}&endtime=${text}`);
      expect(filters.startTime).toBe(`2020-01-31T06:07:${second}`);
      expect(filters.endTime).toBe(`2020-01-31T06:07:${second}`);
    },
  );

  test("a plus that is not encoded, and so a blank, still begins the zone", () => {
    const { filters } = queryOf(
      "starttime=2020-01-31T06:07:08+01:00&endtime=2020-01-31+06:07+0030",
    );
    expect(filters.startTime).toBe("2020-01-31T05:07:08Z");
    expect(filters.endTime).toBe("2020-01-31T05:37:00Z");
  });

  test("a blank before a time of day is no zone", () => {
    expect(queryOf("starttime=2020-01-31+01:00").filters.startTime).toBe("2020-01-31T01:00:00Z");
  });

  const two = (value: number) => String(value).padStart(2, "0");
  const anyTime = fc.record({
    day: fc.integer({
      min: Date.UTC(1000, 0, 1) / 86_400_000,
      max: Date.UTC(9998, 0, 1) / 86_400_000,
    }),
    clock: fc.oneof(
      fc.constant(null),
      fc.record({
        hour: fc.nat({ max: 23 }),
        minute: fc.nat({ max: 59 }),
        second: fc.option(fc.nat({ max: 60 })),
        fraction: fc.stringMatching(/^\d{0,9}$/),
        separator: fc.constantFrom("T", "t", " "),
        zone: fc.constantFrom("", "Z", "z", "+00:00", "-03:30", "+13:45"),
      }),
      fc.constant({ hour: 24, minute: 0, second: 0, fraction: "", separator: "T", zone: "" }),
    ),
  });

  test("any form is the instant that the calendar of JavaScript gives", () => {
    fc.assert(
      fc.property(anyTime, ({ day, clock }) => {
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
        const fraction = clock === null || clock.second === null ? "" : clock.fraction;
        const text =
          clock === null
            ? date
            : `${date}${clock.separator}${two(clock.hour)}:${two(clock.minute)}` +
              `${clock.second === null ? "" : `:${two(clock.second)}`}` +
              `${fraction === "" ? "" : `.${fraction}`}${clock.zone}`;
        const { hour = 0, minute = 0, second = 0, zone = "" } = clock ?? {};
        const [, sign, zoneHour, zoneMinute] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
        const zoneMinutes =
          (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)) * (sign === "-" ? -1 : 1);
        const seconds =
          day * 86_400 + hour * 3600 + (minute - zoneMinutes) * 60 + Number(second ?? 0);
        const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
        const kept = fraction.slice(0, 6);
        expect(parseFdsnTime(text), text).toBe(`${whole}${kept === "" ? "" : `.${kept}`}Z`);
      }),
      { numRuns: runs(2000) },
    );
  });
});

/** Tenths of degrees, so that the oracle can count exactly. */
const TURN = 3600;
const anyBound = fc.option(fc.integer({ min: -TURN, max: TURN }));
/** Both names of the antimeridian. */
const ALL_MERIDIANS = Array.from({ length: TURN + 1 }, (_, i) => i - TURN / 2);

/** What the filters of events select (`contracts/docs/events.md`, Reading). */
function isSelected(
  longitude: number,
  { minLongitude = -180, maxLongitude = 180 }: ReturnType<typeof longitudesBetween>,
): boolean {
  if (minLongitude > maxLongitude) return longitude >= minLongitude || longitude <= maxLongitude;
  const touches = minLongitude === -180 || maxLongitude === 180;
  return (
    (longitude >= minLongitude && longitude <= maxLongitude) ||
    (touches && Math.abs(longitude) === 180)
  );
}

/** The meridians met on the way eastwards, as tenths from 0 to 3599. */
function walked(west: number, east: number): ReadonlySet<number> {
  let end = east;
  while (end < west) end += TURN;
  const met = new Set<number>();
  for (let at = west; at <= end && met.size < TURN; at++) met.add((at + 2 * TURN) % TURN);
  return met;
}

describe("a box's longitudes", () => {
  test("a box has the meridians that a walk eastwards meets, and no others", () => {
    fc.assert(
      fc.property(anyBound, anyBound, (west, east) => {
        const filters = longitudesBetween(
          west === null ? null : west / 10,
          east === null ? null : east / 10,
        );
        const met = walked(west ?? -TURN / 2, east ?? TURN / 2);
        const isWanted = (meridian: number) =>
          (west === null && east === null) || met.has((meridian + 2 * TURN) % TURN);
        const wrong = ALL_MERIDIANS.filter(
          (meridian) => isSelected(meridian / 10, filters) !== isWanted(meridian),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  test("bounds of a box are longitudes that filters of events take", () => {
    fc.assert(
      fc.property(anyBound, anyBound, (west, east) => {
        const { minLongitude = 0, maxLongitude = 0 } = longitudesBetween(
          west === null ? null : west / 10,
          east === null ? null : east / 10,
        );
        expect(Math.abs(minLongitude)).toBeLessThanOrEqual(180);
        expect(Math.abs(maxLongitude)).toBeLessThanOrEqual(180);
      }),
    );
  });

  test("a box within ±180° keeps its numbers", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -179, max: 179, noNaN: true }),
        fc.double({ min: -179, max: 179, noNaN: true }),
        (west, east) => {
          expect(longitudesBetween(west, east)).toEqual({ minLongitude: west, maxLongitude: east });
        },
      ),
    );
  });
});

describe("a longitude", () => {
  testRows(
    "a longitude is a meridian from −180 to 180",
    [
      [359.9, -0.1],
      [-359.9, 0.1],
      [360, 0],
      [-360, 0],
      [180, 180],
      [-180, -180],
      [180.000001, -179.999999],
      [12.5, 12.5],
    ],
    (longitude, expected) => {
      expect(wrapLongitude(longitude)).toBe(expected);
    },
  );

  test("a longitude of many digits, or with an exponent, is turned as well", () => {
    expect(turned(1e-7, 1)).toBeCloseTo(360, 6);
    expect(turned(0.1234567890123456, -1)).toBeCloseTo(-359.8765432109877, 12);
  });
});

/** A valid value for each parameter, all of them together. */
const VALUES: Readonly<Record<ParameterName, string>> = {
  starttime: "2020-01-01T01:02:03.5",
  endtime: "2021-01-01",
  minlatitude: "-48.25",
  maxlatitude: "-30",
  minlongitude: "160",
  maxlongitude: "-170",
  latitude: "-41.3",
  longitude: "174.8",
  minradius: "0.25",
  maxradius: "8",
  minradiuskm: "",
  maxradiuskm: "",
  polygon: "POLYGON((170 -42, 190 -42, 180 -30, 170 -42))",
  region: "7d1f0c9e-52a4-4c1b-8e0a-3b6f5d9a1c20",
  evaluationstatus: "reviewed",
  evaluationmode: "Manual",
  maxazimuthalgap: "180",
  minusedstationcount: "4",
  minusedphasecount: "5",
  maxstandarderror: "0.5",
  maxmagnitudeuncertainty: "0.2",
  mindepth: "1e-5",
  maxdepth: "600",
  minmagnitude: "2.5",
  maxmagnitude: "9",
  magnitudetype: "mb,ML",
  eventtype: "earthquake,landslide",
  includeallorigins: "TRUE",
  includeallmagnitudes: "true",
  includearrivals: "false",
  includepicks: "True",
  includeamplitudes: "true",
  includestationmagnitudes: "false",
  includecomments: "TRUE",
  includeall: "false",
  magnitudescope: "",
  eventid: "2020p1,smi:a/b,c",
  limit: "100",
  offset: "11",
  orderby: "magnitude",
  catalog: "A & B = C",
  contributor: "Wellington",
  updatedafter: "2020-01-01T00:00:00+13:00",
  format: "geojson",
  nodata: "404",
  asof: "3",
  jsonerror: "true",
  includedeleted: "false",
  includesuperseded: "",
};

const anySpelling = (name: ParameterName) => {
  const { aliases = [] }: Parameter = PARAMETERS[name];
  return fc
    .tuple(fc.constantFrom(name, ...aliases), fc.array(fc.boolean(), { maxLength: 24 }))
    .map(([given, upper]) =>
      [...given].map((letter, i) => (upper[i] === true ? letter.toUpperCase() : letter)).join(""),
    );
};

const anyQuery = fc
  .tuple(
    fc.shuffledSubarray(PARAMETER_NAMES, { minLength: PARAMETER_NAMES.length }),
    fc.tuple(...PARAMETER_NAMES.map(anySpelling)),
    fc.array(fc.nat({ max: 2 }), { minLength: PARAMETER_NAMES.length }),
  )
  .map(([order, spellings, ampersands]) =>
    order
      .map((name, i) => {
        const spelling = spellings[PARAMETER_NAMES.indexOf(name)];
        return `${"&".repeat(ampersands[i] ?? 0)}${spelling}=${encodeURIComponent(VALUES[name])}`;
      })
      .join("&"),
  );

test("names in any case and order, long or short, with empty pairs between them, mean the same", () => {
  const plain = PARAMETER_NAMES.map((name) => `${name}=${encodeURIComponent(VALUES[name])}`);
  const expected = queryOf(plain.join("&"));
  expect(expected.filters.minMagnitude).toBe(2.5);
  fc.assert(
    fc.property(anyQuery, (raw) => {
      expect(queryOf(raw)).toEqual(expected);
    }),
  );
});

test("the eleven parameters that the standard requires are those of ObsPy's list", () => {
  const required = PARAMETER_NAMES.filter((name) => {
    const parameter: Parameter = PARAMETERS[name];
    return parameter.required === true;
  });
  expect(required).toEqual([
    ..."starttime endtime minlatitude maxlatitude minlongitude maxlongitude".split(" "),
    ..."mindepth maxdepth minmagnitude maxmagnitude orderby".split(" "),
  ]);
});

test("no two parameters share a name", () => {
  const names = PARAMETER_NAMES.flatMap((name) => {
    const { aliases = [] }: Parameter = PARAMETERS[name];
    return [name, ...aliases];
  });
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toBe(name.toLowerCase());
});

test("names that objects have are no parameters", () => {
  for (const name of ["toString", "__proto__", "constructor", "", "minmag "]) {
    expect(longNameOf(name)).toBeNull();
  }
});

const ID = "7f3e1b52-9c4d-8a86-8000-000100000001";
const HEX = "7f3e1b529c4d8a868000000100000001";

testRows(
  "an id of ours is known in any form",
  [
    [ID],
    [ID.toUpperCase()],
    [HEX],
    [` ${HEX.toUpperCase()} `],
    [`smi:local.catalogue/id/${ID}`],
    [`smi:local.catalogue/id/${HEX}`],
  ],
  (text) => {
    expect(eventIdForms(text)).toMatchObject({ ourId: ID, bareId: null });
  },
);

testRows(
  "an id of others is looked for as a source id, a public id, and the bare one of it",
  [
    ["2024p344188", ["2024p344188"], null],
    ["us7000abcd", ["us7000abcd"], null],
    [
      "smi:local.catalogue/event/2024p344188",
      ["smi:local.catalogue/event/2024p344188", "2024p344188"],
      null,
    ],
    ["smi:nz.org.geonet/2024p344188", ["smi:nz.org.geonet/2024p344188"], "2024p344188"],
    [
      "quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml",
      ["quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml"],
      "ci15481673",
    ],
    [
      "smi:de.bgr/out.scb/20150304062151/event/1",
      ["smi:de.bgr/out.scb/20150304062151/event/1"],
      "1",
    ],
  ],
  (text, sourceIds, bareId) => {
    expect(eventIdForms(text)).toEqual({ ourId: null, sourceIds, publicIds: [text], bareId });
  },
);

test("the id of a source that looks like ours is looked for as both", () => {
  const forms = eventIdForms(`smi:local.catalogue/event/${HEX}`);
  expect(forms.ourId).toBe(ID);
  expect(forms.sourceIds).toContain(HEX);
});

test("a text that is too long is no public id", () => {
  expect(eventIdForms(`smi:a/${"b".repeat(300)}`).publicIds).toEqual([]);
});
