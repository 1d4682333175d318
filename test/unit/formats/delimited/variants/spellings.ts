import { lines, type Variant } from "./variant.ts";

/** Ways to write a table: delimiters, blanks, line ends, quotes. */
export const SPELLINGS: readonly Variant[] = [
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
    title: "blanks with a header and quoted names of places",
    text: lines("time lat  lon mag place", '2011-03-11T05:46:18  38.1   142.9 9.0  "off Honshu" '),
    format: "txt",
    headers: ["time", "lat", "lon", "mag", "place"],
    rows: [{ time: "2011-03-11T05:46:18", lat: 38.1, lon: 142.9, mag: 9, place: "off Honshu" }],
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
    text: "# from an old machine\rtime,lat,mag\r\r# the first\r2011-03-11,38,9\r2011-03-12,39,8",
    format: "csv",
    headers: ["time", "lat", "mag"],
    rows: [
      { time: "2011-03-11", lat: 38, mag: 9 },
      { time: "2011-03-12", lat: 39, mag: 8 },
    ],
    warnings: ["2: No column is recognised as longitude"],
  },
  {
    title: "quoted fields over several lines",
    text: lines(
      "time,lat,lon,mag,place",
      '2011-03-11,38,142,9,"Off',
      'Honshu, ""east"""',
      "2011-03-12,39,143,8,x",
    ),
    format: "csv",
    headers: ["time", "lat", "lon", "mag", "place"],
    rows: [
      { time: "2011-03-11", lat: 38, lon: 142, mag: 9, place: 'Off\nHonshu, "east"' },
      { time: "2011-03-12", lat: 39, lon: 143, mag: 8, place: "x" },
    ],
  },
];
