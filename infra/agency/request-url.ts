import { trimEnd } from "../text/trim-end.ts";
import type { AgencyQuery } from "./agency-query.ts";
import { DEGREES_MARGIN, type LongitudeBox } from "./longitude-boxes.ts";
import { askedSpan, type TimeWindow } from "./time-window.ts";

/**
 * So much beyond its bounds is asked for, and cut off here: GeoNet's bounds are exclusive, and values
 * may be rounded in an answer, magnitudes to 0.1 and depths to 1 km (domain notes §1.4).
 */
const MAGNITUDE_MARGIN = 0.06;
const DEPTH_MARGIN = 1;

/** Digits after the point: 10.06 − 0.06 must not be sent as 9.999999999999999. */
const DIGITS = 9;

/**
 * The address of one request. Only parameters that every agency takes: GeoNet refuses `limit`,
 * `offset`, `magnitudetype`, `catalog` and `includeall…` (domain notes §1.2).
 */
export function requestUrl(
  base: string,
  query: AgencyQuery,
  window: TimeWindow,
  box: LongitudeBox | null,
): URL {
  const url = new URL(`${trimEnd(base, "/")}/query`);
  const put = (name: string, bound: number | null | undefined, margin = 0) => {
    if (bound === null || bound === undefined) return;
    url.searchParams.set(name, decimal(bound + margin));
  };
  const { start, end } = askedSpan(window);
  url.searchParams.set("starttime", start);
  url.searchParams.set("endtime", end);
  put("minmagnitude", query.minMagnitude, -MAGNITUDE_MARGIN);
  put("maxmagnitude", query.maxMagnitude, MAGNITUDE_MARGIN);
  put("mindepth", query.minDepth, -DEPTH_MARGIN);
  put("maxdepth", query.maxDepth, DEPTH_MARGIN);
  // Beyond the poles there is nothing to bound.
  if ((query.minLatitude ?? -90) > -90) put("minlatitude", query.minLatitude, -DEGREES_MARGIN);
  if ((query.maxLatitude ?? 90) < 90) put("maxlatitude", query.maxLatitude, DEGREES_MARGIN);
  put("minlongitude", box?.west);
  put("maxlongitude", box?.east);
  url.searchParams.set("format", query.detail === "full" ? "xml" : "text");
  return url;
}

/** Without an exponent, which few agencies read, and without zeros at the end. */
function decimal(value: number): string {
  return trimEnd(trimEnd(value.toFixed(DIGITS), "0"), ".");
}
