import { FDSN_NAMES, FDSN_ROW } from "./fdsn.ts";
import { lines, type Variant } from "./variant.ts";

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

/** Layouts that come without a header. */
export const HEADERLESS: readonly Variant[] = [
  {
    title: "FDSN text whose header is lost",
    text: lines(
      '2801727|2007-12-20T07:55:15|-38.874|178.509|33.2|GNS|GNS|GNS|2801727|ML|6.7|GNS|Off East Cape, "Gisborne"',
    ),
    format: "txt",
    headers: FDSN_NAMES,
    rows: [FDSN_ROW],
    warnings: ["1: There is no header; the columns are read as those of FDSN text"],
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
    warnings: ["3: The row says that catalogue 9 has no events; it is left out"],
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
      "1: The row says that catalogue 0 has no events; it is left out",
      "2: The row says that catalogue 1 has no events; it is left out",
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
    title: "numbers without names or a known layout",
    text: lines("1,2", "3,4"),
    format: "csv",
    headers: ["column_1", "column_2"],
    rows: [
      { column_1: 1, column_2: 2, magnitude: null },
      { column_1: 3, column_2: 4, magnitude: null },
    ],
    warnings: [
      "1: There is no header, and the columns are none that are known",
      '1: Columns without a usable name are called "column_1", "column_2"',
      "1: No column is recognised as time or latitude or longitude",
      "1: No column is recognised as magnitude; it is null, not known, in all rows",
    ],
  },
];
