import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { DelimitedOptions } from "#infra/formats/delimited/delimited-reader.ts";
import type { UploadFormat } from "#infra/formats/format-reader.ts";

/** A catalogue file as the world writes it, and what a reader tells of it. */
export type Variant = {
  readonly title: string;
  readonly text: string;
  readonly options?: Partial<DelimitedOptions>;
  readonly format: UploadFormat;
  readonly headers: readonly string[];
  readonly rows: readonly JsonObject[];
  readonly errors?: readonly string[];
  readonly warnings?: readonly string[];
};

const lines = (...all: string[]) => `${all.join("\n")}\n`;

const FDSN_HEADER =
  "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName";
const FDSN_NAMES = FDSN_HEADER.slice(1).split("|");
const FDSN_ROW = {
  EventID: "2801727",
  Time: "2007-12-20T07:55:15",
  Latitude: -38.874,
  Longitude: 178.509,
  "Depth/km": 33.2,
  Author: "GNS",
  Catalog: "GNS",
  Contributor: "GNS",
  ContributorID: 2801727,
  MagType: "ML",
  Magnitude: 6.7,
  MagAuthor: "GNS",
  EventLocationName: 'Off East Cape, "Gisborne"',
};

const ZMAP_NAMES =
  "longitude latitude year month day magnitude depth hour minute second horizontal_uncertainty depth_uncertainty magnitude_uncertainty".split(
    " ",
  );
const ZMAP_ROW = {
  longitude: 142.4,
  latitude: 38.3,
  year: 2011,
  month: 3,
  day: 11,
  magnitude: 9.1,
  depth: 29,
  hour: 5,
  minute: 46,
  second: 24.12,
};
const ZMAP_WARNING = "1: There is no header; the columns are read as those of ZMAP";

export const VARIANTS: readonly Variant[] = [
  {
    title: "FDSN text with 13 columns, a quote being a character like others",
    text: lines(
      FDSN_HEADER,
      '2801727|2007-12-20T07:55:15|-38.874|178.509|33.2|GNS|GNS|GNS|2801727|ML|6.7|GNS|Off East Cape, "Gisborne"',
    ),
    format: "txt",
    headers: FDSN_NAMES,
    rows: [FDSN_ROW],
  },
  {
    title: "FDSN text with 14 columns and blanks around the names",
    text: lines(
      `${FDSN_HEADER.replaceAll("|", " | ")} | EventType`,
      '2801727 | 2007-12-20T07:55:15 | -38.874 | 178.509 | 33.2 | GNS | GNS | GNS | 2801727 | ML | 6.7 | GNS | Off East Cape, "Gisborne" | earthquake',
    ),
    format: "txt",
    headers: [...FDSN_NAMES, "EventType"],
    rows: [{ ...FDSN_ROW, EventType: "earthquake" }],
  },
  {
    title: "FDSN text whose header is lost",
    text: lines(
      "2801727|2007-12-20T07:55:15|-38.874|178.509|33.2|GNS|GNS|GNS|2801727|ML|6.7|GNS|Off East Cape",
    ),
    format: "txt",
    headers: FDSN_NAMES,
    rows: [{ ...FDSN_ROW, EventLocationName: "Off East Cape" }],
    warnings: ["1: There is no header; the columns are read as those of FDSN text"],
  },
  {
    title: "USGS csv with quoted places",
    text: lines(
      "time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type",
      '2024-01-01T07:10:09.476Z,37.4874,137.2710,10,7.5,mww,190,33,0.6,0.99,us,us6000m0xl,2024-03-01T00:00:00.040Z,"42 km NE of Anamizu, Japan ""Noto""",earthquake',
      '2024-01-01T07:20:09.476Z,37.4,137.2,10,,,,,,,us,us6000m0xm,2024-03-01T00:00:00.040Z,"Quarry, somewhere",quarry',
    ),
    format: "csv",
    headers:
      "time latitude longitude depth mag magType nst gap dmin rms net id updated place type".split(
        " ",
      ),
    rows: [
      {
        time: "2024-01-01T07:10:09.476Z",
        latitude: 37.4874,
        longitude: 137.271,
        depth: 10,
        mag: 7.5,
        magType: "mww",
        nst: 190,
        gap: 33,
        dmin: 0.6,
        rms: 0.99,
        net: "us",
        id: "us6000m0xl",
        updated: "2024-03-01T00:00:00.040Z",
        place: '42 km NE of Anamizu, Japan "Noto"',
        type: "earthquake",
      },
      {
        time: "2024-01-01T07:20:09.476Z",
        latitude: 37.4,
        longitude: 137.2,
        depth: 10,
        mag: null,
        magType: null,
        nst: null,
        gap: null,
        dmin: null,
        rms: null,
        net: "us",
        id: "us6000m0xm",
        updated: "2024-03-01T00:00:00.040Z",
        place: "Quarry, somewhere",
        type: "quarry blast",
        extra: { type: "quarry" },
      },
    ],
    warnings: ['3: type: "quarry" is read as "quarry blast"'],
  },
  {
    title: "GeoNet quakesearch with WKT, blank types and −9 for no magnitude",
    text: lines(
      "origintime,publicid,eventtype,longitude,latitude,magnitude,depth,geometry",
      "1999-08-04T12:00:00.000Z,1234567,,175.93683624267578125,-38.81,-9,5.0,POINT (175.9 -38.8)",
    ),
    format: "csv",
    headers: [
      "origintime",
      "publicid",
      "eventtype",
      "longitude",
      "latitude",
      "magnitude",
      "depth",
      "geometry",
    ],
    rows: [
      {
        origintime: "1999-08-04T12:00:00.000Z",
        publicid: "1234567",
        eventtype: null,
        longitude: 175.93683624267578,
        latitude: -38.81,
        magnitude: null,
        depth: 5,
        geometry: "POINT (175.9 -38.8)",
        extra: { magnitude: -9 },
      },
    ],
    warnings: ['2: magnitude: -9 stands for "not known"; it is kept under extra'],
  },
  {
    title: "ISC csv below a page's text, with padding and a magnitude group repeated",
    text: lines(
      "ISC Bulletin",
      "event catalogue search, 2011-03-11",
      "EVENTID,TYPE,AUTHOR   ,DATE      ,TIME       ,LAT     ,LON      ,DEPTH,DEPFIX,AUTHOR   ,TYPE  ,MAG",
      " 16461282,ke ,ISC      ,2011-03-11,05:46:23.15, 38.2963, 142.498, 19.7,      ,ISC      ,mb    ,7.2,GCMT ,MW ,9.1",
      " 16461283,ke ,ISC      ,2011-03-11,05:51:20.50, 37.3106, 142.240, 33.0,TRUE  ,ISC      ,mb    ,6.2",
    ),
    format: "csv",
    headers: [
      ..."EVENTID TYPE AUTHOR DATE TIME LAT LON DEPTH DEPFIX AUTHOR.1 TYPE.1 MAG".split(" "),
      ..."AUTHOR.2 TYPE.2 MAG.1".split(" "),
    ],
    rows: [
      {
        EVENTID: "16461282",
        TYPE: "earthquake",
        AUTHOR: "ISC",
        DATE: "2011-03-11",
        TIME: "05:46:23.15",
        LAT: 38.2963,
        LON: 142.498,
        DEPTH: 19.7,
        DEPFIX: null,
        "AUTHOR.1": "ISC",
        "TYPE.1": "mb",
        MAG: 7.2,
        "AUTHOR.2": "GCMT",
        "TYPE.2": "MW",
        "MAG.1": 9.1,
        extra: { TYPE: "ke" },
      },
      {
        EVENTID: "16461283",
        TYPE: "earthquake",
        AUTHOR: "ISC",
        DATE: "2011-03-11",
        TIME: "05:51:20.50",
        LAT: 37.3106,
        LON: 142.24,
        DEPTH: 33,
        DEPFIX: "TRUE",
        "AUTHOR.1": "ISC",
        "TYPE.1": "mb",
        MAG: 6.2,
        extra: { TYPE: "ke" },
      },
    ],
    warnings: [
      "1: Lines 1 to 2 before the header are left out",
      '3: Columns of the same name are told apart as "AUTHOR.1", "TYPE.1"',
      '4: TYPE: "ke" is read as "earthquake"',
      '5: TYPE: "ke" is read as "earthquake"',
    ],
  },
  {
    title: "ISC-GEM: many comment lines, the last of them the header",
    text: lines(
      "# ISC-GEM Global Instrumental Earthquake Catalogue",
      "#",
      "# date: date, time, and so on; lat: latitude",
      "#        date          ,    lat    ,   lon   ,smajax,strike,q, depth , unc ,q, mw  , unc,q, eventid ",
      " 1904-04-04 10:02:34.56 ,  41.802 ,  23.108 ,   8.6,164.2 ,B,  15.0 , 4.8 ,C, 7.02, 0.40,C,     610326271 ",
    ),
    format: "csv",
    headers: "date lat lon smajax strike q depth unc q.1 mw unc.1 q.2 eventid".split(" "),
    rows: [
      {
        date: "1904-04-04 10:02:34.56",
        lat: 41.802,
        lon: 23.108,
        smajax: 8.6,
        strike: 164.2,
        q: "B",
        depth: 15,
        unc: 4.8,
        "q.1": "C",
        mw: 7.02,
        "unc.1": "0.40",
        "q.2": "C",
        eventid: "610326271",
      },
    ],
    warnings: ['4: Columns of the same name are told apart as "q.1", "unc.1", "q.2"'],
  },
  {
    title: "hmtk with the date over six columns",
    text: lines(
      "eventID,Agency,year,month,day,hour,minute,second,timeError,longitude,latitude,depth,magnitude",
      "cmt134245,oGCMT,2011,03,11,5,47,32.5,,143.05,37.52,20,9.11683871090664",
    ),
    format: "csv",
    headers:
      "eventID Agency year month day hour minute second timeError longitude latitude depth magnitude".split(
        " ",
      ),
    rows: [
      {
        eventID: "cmt134245",
        Agency: "oGCMT",
        year: 2011,
        month: 3,
        day: 11,
        hour: 5,
        minute: 47,
        second: 32.5,
        timeError: null,
        longitude: 143.05,
        latitude: 37.52,
        depth: 20,
        magnitude: 9.11683871090664,
      },
    ],
  },
  {
    title: "HORUS: tabs and short names of the date's parts",
    text: lines(
      "Year\tMo\tDa\tHo\tMi\tSe\tLat\tLon\tDepth\tMw\tsigMw\tGeo-Ita",
      "1960\t01\t03\t20\t19\t60.00\t39.300\t15.300\t290.0\t6.15\t0.22\t*",
    ),
    format: "csv",
    headers: "Year Mo Da Ho Mi Se Lat Lon Depth Mw sigMw Geo-Ita".split(" "),
    rows: [
      {
        Year: 1960,
        Mo: 1,
        Da: 3,
        Ho: 20,
        Mi: 19,
        Se: 60,
        Lat: 39.3,
        Lon: 15.3,
        Depth: 290,
        Mw: 6.15,
        sigMw: 0.22,
        "Geo-Ita": "*",
      },
    ],
  },
  {
    title: "the same table named .dat",
    text: lines("Year\tMo\tDa\tLat\tLon", "1960\t01\t03\t39.300\t15.300"),
    options: { extension: "dat" },
    format: "txt",
    headers: ["Year", "Mo", "Da", "Lat", "Lon"],
    rows: [{ Year: 1960, Mo: 1, Da: 3, Lat: 39.3, Lon: 15.3 }],
  },
  {
    title: "JMA: semicolons and a zone",
    text: lines(
      "timestamp;longitude;latitude;depth;magnitude",
      "2011-03-11T14:46:18.120000+0900;142.8607;38.1035;24;9.0",
    ),
    format: "csv",
    headers: ["timestamp", "longitude", "latitude", "depth", "magnitude"],
    rows: [
      {
        timestamp: "2011-03-11T14:46:18.120000+0900",
        longitude: 142.8607,
        latitude: 38.1035,
        depth: 24,
        magnitude: 9,
      },
    ],
  },
  {
    title: "semicolons with decimal commas",
    text: lines(
      "time;lat;lon;mag",
      "2011-03-11T05:46:18Z;38,1;142,86;9",
      "2011-03-12;38,2;-1,5;8,5",
    ),
    format: "csv",
    headers: ["time", "lat", "lon", "mag"],
    rows: [
      { time: "2011-03-11T05:46:18Z", lat: 38.1, lon: 142.86, mag: 9 },
      { time: "2011-03-12", lat: 38.2, lon: -1.5, mag: 8.5 },
    ],
    warnings: [
      "2: lat: decimal commas are read as points",
      "2: lon: decimal commas are read as points",
      "3: mag: decimal commas are read as points",
    ],
  },
  {
    title: "CSEP with a header and an empty catalogue",
    text: lines(
      "lon,lat,M,time_string,depth,catalog_id,event_id",
      "-117.43,35.61,4.73,2019-07-06T03:22:35.630000,9.35,8,",
      ",,,,,9,",
    ),
    format: "csv",
    headers: ["lon", "lat", "M", "time_string", "depth", "catalog_id", "event_id"],
    rows: [
      {
        lon: -117.43,
        lat: 35.61,
        M: 4.73,
        time_string: "2019-07-06T03:22:35.630000",
        depth: 9.35,
        catalog_id: 8,
        event_id: null,
      },
    ],
    warnings: ["3: says that catalogue 9 has no events; it is left out"],
  },
  {
    title: "CSEP without a header, beginning with empty catalogues",
    text: lines(",,,,,0,", ",,,,,1,", "-117.43,35.61,4.73,2019-07-06T03:22:35.63,9.35,2,a7"),
    format: "csv",
    headers: ["lon", "lat", "mag", "time_string", "depth", "catalog_id", "event_id"],
    rows: [
      {
        lon: -117.43,
        lat: 35.61,
        mag: 4.73,
        time_string: "2019-07-06T03:22:35.63",
        depth: 9.35,
        catalog_id: 2,
        event_id: "a7",
      },
    ],
    warnings: [
      "1: There is no header; the columns are read as those of CSEP",
      "1: says that catalogue 0 has no events; it is left out",
      "2: says that catalogue 1 has no events; it is left out",
    ],
  },
  {
    title: "SeisComP csv without a header",
    text: lines('gfz2021meng,2021-06-23T05:39:42.26Z,-22.619,171.769,30.2,5.39,"Loyalty, Islands"'),
    format: "csv",
    headers: ["id", "time", "latitude", "longitude", "depth", "magnitude", "region"],
    rows: [
      {
        id: "gfz2021meng",
        time: "2021-06-23T05:39:42.26Z",
        latitude: -22.619,
        longitude: 171.769,
        depth: 30.2,
        magnitude: 5.39,
        region: "Loyalty, Islands",
      },
    ],
    warnings: ["1: There is no header; the columns are read as those of SeisComP csv"],
  },
  {
    title: "ZMAP with ten columns of tabs",
    text: lines("142.4\t38.3\t2011.190411\t3\t11\t9.1\t29\t5\t46\t24.12"),
    format: "txt",
    headers: ZMAP_NAMES.slice(0, 10),
    rows: [{ ...ZMAP_ROW, extra: { decimal_year: 2011.190411 } }],
    warnings: [ZMAP_WARNING],
  },
  {
    title: "ZMAP with thirteen columns, runs of blanks and unknown errors",
    text: lines("  142.4  38.3  2011   3 11  9.1  29  5 46 24.12  1.5 NaN 0.1"),
    format: "txt",
    headers: ZMAP_NAMES,
    rows: [
      {
        ...ZMAP_ROW,
        horizontal_uncertainty: 1.5,
        depth_uncertainty: null,
        magnitude_uncertainty: 0.1,
      },
    ],
    warnings: [ZMAP_WARNING],
  },
  {
    title: "blanks with a header and quoted names of places",
    text: lines("time lat  lon mag place", '2011-03-11T05:46:18  38.1   142.9 9.0  "off Honshu" '),
    format: "txt",
    headers: ["time", "lat", "lon", "mag", "place"],
    rows: [{ time: "2011-03-11T05:46:18", lat: 38.1, lon: 142.9, mag: 9, place: "off Honshu" }],
  },
  {
    title: "ObsPy csv with nan and null",
    text: lines("time,lat,lon,dep,mag,magtype,id", "2012-04-04,42,42,nan,null,,id1"),
    format: "csv",
    headers: ["time", "lat", "lon", "dep", "mag", "magtype", "id"],
    rows: [
      { time: "2012-04-04", lat: 42, lon: 42, dep: null, mag: null, magtype: null, id: "id1" },
    ],
  },
  {
    title: "a table of pandas: byte order mark, CRLF and an unnamed index",
    text: "\uFEFF,time,latitude,longitude,mag\r\n0,2011-03-11 05:46:24.120000+00:00,38.297,142.373,9.1\r\n",
    format: "csv",
    headers: ["column_1", "time", "latitude", "longitude", "mag"],
    rows: [
      {
        column_1: 0,
        time: "2011-03-11 05:46:24.120000+00:00",
        latitude: 38.297,
        longitude: 142.373,
        mag: 9.1,
      },
    ],
    warnings: ['1: Columns without a usable name are called "column_1"'],
  },
  {
    title: "lines that end with CR, comments and blank lines between them",
    text: "# from an old machine\rtime,lat,lon\r\r# the first\r2011-03-11,38,142\r2011-03-12,39,143",
    format: "csv",
    headers: ["time", "lat", "lon"],
    rows: [
      { time: "2011-03-11", lat: 38, lon: 142 },
      { time: "2011-03-12", lat: 39, lon: 143 },
    ],
  },
  {
    title: "quoted fields over several lines",
    text: lines(
      "time,lat,lon,place",
      '2011-03-11,38,142,"Off',
      'Honshu, ""east"""',
      "2011-03-12,39,143,x",
    ),
    format: "csv",
    headers: ["time", "lat", "lon", "place"],
    rows: [
      { time: "2011-03-11", lat: 38, lon: 142, place: 'Off\nHonshu, "east"' },
      { time: "2011-03-12", lat: 39, lon: 143, place: "x" },
    ],
  },
  {
    title: "faulty rows, each of which costs itself alone",
    text: lines(
      "time,lat,lon,place",
      '2011-03-11,38,142,5" pipe',
      '2011-03-12,38,142,"Honshu" east',
      '2011-03-13,38,142,"never closed',
      '2011-03-14,38,142,"fine"',
      "2011-03-15,38",
      "2011-03-16,38,142,a,b",
      "2011-03-17,38,142,trailing,,",
      "time,lat,lon,place",
      ",,,",
    ),
    format: "csv",
    headers: ["time", "lat", "lon", "place"],
    rows: [
      { time: "2011-03-14", lat: 38, lon: 142, place: "fine" },
      { time: "2011-03-17", lat: 38, lon: 142, place: "trailing" },
    ],
    errors: [
      '2: holds a quote inside a field that does not begin with one; write it as "" in quotes',
      "3: holds text after the closing quote of a field",
      "4: holds text after the closing quote of a field",
      "6: has 2 fields where there are 4 columns",
      "7: has 5 fields where there are 4 columns",
    ],
    warnings: [
      "9: repeats the header; it is left out",
      "10: holds no value at all; it is left out",
    ],
  },
  {
    title: "names that nobody knows",
    text: lines("alpha,beta", "1,two"),
    format: "csv",
    headers: ["alpha", "beta"],
    rows: [{ alpha: 1, beta: "two" }],
    warnings: ["1: No column is recognised as time or latitude or longitude"],
  },
  {
    title: "numbers without names or a known layout",
    text: lines("1,2", "3,4"),
    format: "csv",
    headers: ["column_1", "column_2"],
    rows: [
      { column_1: 1, column_2: 2 },
      { column_1: 3, column_2: 4 },
    ],
    warnings: [
      "1: There is no header, and the columns are none that are known",
      '1: Columns without a usable name are called "column_1", "column_2"',
      "1: No column is recognised as time or latitude or longitude",
    ],
  },
  {
    title: "a delimiter that is said rather than found",
    text: lines("time;lat,lon", "2011-03-11;38,142"),
    options: { delimiter: ";" },
    format: "csv",
    headers: ["time", "lat,lon"],
    rows: [{ time: "2011-03-11", "lat,lon": "38,142" }],
    warnings: ["1: No column is recognised as latitude or longitude"],
  },
];
