import { lines, type Variant } from "./variant.ts";

/** Tables with faults, or with names that are unknown. */
export const FAULTS: readonly Variant[] = [
  {
    title: "faulty rows, each of which costs itself alone",
    text: lines(
      "time,lat,mag,place",
      '2011-03-11,38,9,5" pipe',
      '2011-03-12,38,9,"Honshu" east',
      '2011-03-13,38,9,"never closed',
      '2011-03-14,38,9,"fine"',
      "2011-03-15,38",
      "2011-03-16,38,9,a,b",
      "2011-03-17,38,9,trailing,,",
      "time,lat,mag,place",
      ",,,",
    ),
    format: "csv",
    headers: ["time", "lat", "mag", "place"],
    rows: [
      { time: "2011-03-14", lat: 38, mag: 9, place: "fine" },
      { time: "2011-03-16", lat: 38, mag: 9, place: "a,b" },
      { time: "2011-03-17", lat: 38, mag: 9, place: "trailing" },
    ],
    errors: [
      '2: The row holds a quote inside a field that does not begin with one; write it as "" in quotes',
      "3: The row holds text after the closing quote of a field",
      "4: The row holds text after the closing quote of a field",
      "6: The row has 2 fields where there are 4 columns",
    ],
    warnings: [
      "1: No column is recognised as longitude",
      '7: The row has 5 fields where there are 4 columns; "place" takes the rest',
      "9: The row repeats the header; it is left out",
      "10: The row holds no value at all; it is left out",
    ],
  },
  {
    title: "names that nobody knows",
    text: lines("alpha,beta", "1,two"),
    format: "csv",
    headers: ["alpha", "beta"],
    rows: [{ alpha: 1, beta: "two", magnitude: null }],
    warnings: [
      "1: No column is recognised as time or latitude or longitude",
      "1: No column is recognised as magnitude; it is null, not known, in all rows",
      '1: "alpha" may be the depth or the magnitude but is not understood',
    ],
  },
  {
    title: "a delimiter that is said rather than found",
    text: lines("time;lat,lon", "2011-03-11;38,142"),
    options: { delimiter: ";" },
    format: "csv",
    headers: ["time", "lat,lon"],
    rows: [{ time: "2011-03-11", "lat,lon": "38,142", magnitude: null }],
    warnings: [
      "1: No column is recognised as latitude or longitude",
      "1: No column is recognised as magnitude; it is null, not known, in all rows",
    ],
  },
];
