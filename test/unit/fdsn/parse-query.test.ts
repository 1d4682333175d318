import { describe, expect, test } from "vitest";
import { NO_INCLUSION } from "#contracts/fdsn/inclusion.ts";
import { FilterTexts } from "#contracts/query/filter-parameters.ts";
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
        {
          startTime: "2020-01-01T00:00:00Z",
          endTime: "2020-02-01T12:30:15.5Z",
        },
      ],
      [
        "starttime=2020-01-01&endtime=2020-01-01",
        {
          startTime: "2020-01-01T00:00:00Z",
          endTime: "2020-01-01T00:00:00Z",
        },
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
        {
          latitude: 90,
          longitude: 0,
          minRadiusKm: 5,
          maxRadiusKm: 20001.6,
        },
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
        {
          minMagnitude: 0,
        },
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
        {
          eventTypes: { values: ["quarry blast", "landslide"], withUnknown: false },
        },
      ],
      ["eventtype=explosion,Unknown", { eventTypes: { values: ["explosion"], withUnknown: true } }],
      ["eventid=us7000abcd", { eventIds: ["us7000abcd"] }],
      ["eventid=%20a%20,b,,a", { eventIds: ["a", "b", "a ,b,,a"] }],
      [
        "eventid=smi%3Anz.org.geonet%2F2024p344188",
        {
          eventIds: ["smi:nz.org.geonet/2024p344188"],
        },
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
  testRows(
    "a faulty query is refused for its parameter, which the message names",
    [
      ["foo=1", "foo"],
      ["foo=", "foo"],
      ["=1", ""],
      ["__proto__=1", "__proto__"],
      ["constructor", "constructor"],
      ["minmag=1&minmag=1", "minmagnitude"],
      ["minmag=1&MinMagnitude=2", "minmagnitude"],
      ["start=2020-01-01&starttime=", "starttime"],
      ["starttime=yesterday", "starttime"],
      ["starttime=2020", "starttime"],
      ["starttime=2020-13-01", "starttime"],
      ["starttime=2020-02-30", "starttime"],
      ["endtime=2020-01-01T25:00:00", "endtime"],
      ["endtime=2020-01-01T24:00:01", "endtime"],
      ["endtime=2020-01-01T00:00:61", "endtime"],
      ["starttime=1577836800", "starttime"],
      ["starttime=2020-01-02&endtime=2020-01-01", "starttime"],
      ["starttime=2020-01-01T00:00:00.000001&endtime=2020-01-01", "starttime"],
      ["updatedafter=never", "updatedafter"],
      ["minlatitude=-90.1", "minlatitude"],
      ["maxlatitude=91", "maxlatitude"],
      ["minlat=2&maxlat=1", "minlatitude"],
      ["minlongitude=-360.5", "minlongitude"],
      ["maxlongitude=361", "maxlongitude"],
      ["latitude=1", "longitude"],
      ["longitude=1", "latitude"],
      ["maxradius=1", "latitude"],
      ["minradiuskm=0", "latitude"],
      ["lat=1&maxradius=1", "longitude"],
      ["lat=91&lon=0&maxradius=1", "latitude"],
      ["lat=1&lon=400&maxradius=1", "longitude"],
      ["lat=1&lon=2&maxradius=180.1", "maxradius"],
      ["lat=1&lon=2&minradius=-1", "minradius"],
      ["lat=1&lon=2&maxradiuskm=20002", "maxradiuskm"],
      ["lat=1&lon=2&minradius=3&maxradius=2", "minradius"],
      ["lat=1&lon=2&minradiuskm=3&maxradiuskm=2", "minradiuskm"],
      ["lat=1&lon=2&maxradius=3&maxradiuskm=200", "maxradiuskm"],
      ["lat=1&lon=2&minradiuskm=3&maxradius=2", "minradiuskm"],
      ["mindepth=10&maxdepth=5", "mindepth"],
      ["mindepth=deep", "mindepth"],
      ["maxdepth=1,5", "maxdepth"],
      ["maxdepth=0x10", "maxdepth"],
      ["minmagnitude=NaN", "minmagnitude"],
      ["maxmagnitude=Infinity", "maxmagnitude"],
      ["maxmagnitude=1e999", "maxmagnitude"],
      ["minmag=5&maxmag=4", "minmagnitude"],
      ["magnitudetype=,", "magnitudetype"],
      ["eventtype=quake", "eventtype"],
      ["eventtype=earthquake,quake", "eventtype"],
      ["includeallorigins=yes", "includeallorigins"],
      ["includeallmagnitudes=1", "includeallmagnitudes"],
      ["includearrivals=no", "includearrivals"],
      ["includepicks=1", "includepicks"],
      ["includeall=yes", "includeall"],
      ["magnitudescope=all", "magnitudescope"],
      ["magnitudescope=any&magnitudetype=Mw&format=geojson", "magnitudescope"],
      ["includedeleted=yes", "includedeleted"],
      ["includedeleted=only,true", "includedeleted"],
      ["includesuperseded=true", "includesuperseded"],
      ["includesuperseded=true&eventid=", "includesuperseded"],
      ["includesuperseded=only&eventid=ev1", "includesuperseded"],
      ["jsonerror=maybe", "jsonerror"],
      ["limit=0", "limit"],
      ["limit=-1", "limit"],
      ["limit=1.5", "limit"],
      ["limit=10.0", "limit"],
      ["limit=1e3", "limit"],
      ["offset=0", "offset"],
      ["offset=one", "offset"],
      ["orderby=depth", "orderby"],
      ["format=kmz", "format"],
      ["format=__proto__", "format"],
      ["nodata=200", "nodata"],
      ["asof=latest", "asof"],
      ["has=picks", "has"],
      ["minorigins=2", "minorigins"],
      ["minmagnitudes=1", "minmagnitudes"],
      ["asof=-1", "asof"],
      ["eventid=%00", "eventid"],
      ["catalog=%E4", "catalog"],
      ["catalog=%zz", "catalog"],
    ],
    (raw, parameter) => {
      const fault = faultOf(raw);
      expect(fault.parameter).toBe(parameter);
      expect(fault.message.startsWith(`${parameter}: `)).toBe(true);
      expect(fault.jsonError).toBe(false);
    },
  );

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
