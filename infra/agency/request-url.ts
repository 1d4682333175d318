import { microsToTime, timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { trimEnd } from "../kernel/trim-end.ts";
import { type AgencyQuery, queryTime } from "./agency-query.ts";
import type { AnswerFormat, Include } from "./dialects.ts";
import { requestSpan, type TimeWindow } from "./time-window.ts";

/**
 * Margins added to the bounds of a request; the surplus is filtered out here. GeoNet's bounds are
 * exclusive, and agencies may round values in answers, magnitudes to 0.1 and depths to 1 km.
 */
const MAGNITUDE_MARGIN = 0.06;
const DEPTH_MARGIN = 1;

/** Digits after the point: without rounding, 10.06 − 0.06 would be sent as 9.999999999999999. */
const DIGITS = 9;

/** What a request asks for of each event. */
export type AskedForm = { readonly format: AnswerFormat; readonly includes: readonly Include[] };

/**
 * URL of one request, with only parameters that every agency accepts: not `limit`, `offset`; and with
 * those of the form, which the agency is known to accept.
 */
export function requestUrl(
  base: string,
  query: Omit<AgencyQuery, "detail">,
  window: TimeWindow,
  box: LongitudeBox | null,
  { format, includes }: AskedForm,
): URL {
  const url = new URL(`${trimEnd(base, "/")}/query`);
  const put = (name: string, bound: number | null | undefined, margin = 0) => {
    if (bound === null || bound === undefined) return;
    url.searchParams.set(name, decimal(bound + margin));
  };
  const { start, end } = requestSpan(window);
  url.searchParams.set("starttime", start);
  url.searchParams.set("endtime", end);
  if (query.updatedAfter !== undefined) {
    url.searchParams.set("updatedafter", wholeSecond(query.updatedAfter));
  }
  put("minmagnitude", query.minMagnitude, -MAGNITUDE_MARGIN);
  put("maxmagnitude", query.maxMagnitude, MAGNITUDE_MARGIN);
  put("mindepth", query.minDepth, -DEPTH_MARGIN);
  put("maxdepth", query.maxDepth, DEPTH_MARGIN);
  // Latitudes end at the poles, so a bound there is left out.
  if ((query.minLatitude ?? -90) > -90) put("minlatitude", query.minLatitude, -DEGREES_MARGIN);
  if ((query.maxLatitude ?? 90) < 90) put("maxlatitude", query.maxLatitude, DEGREES_MARGIN);
  put("minlongitude", box?.west);
  put("maxlongitude", box?.east);
  for (const name of includes) url.searchParams.set(name, "true");
  url.searchParams.set("format", format);
  return url;
}

/** The second in which a time lies, without a zone, as in FDSN. */
function wholeSecond(time: string): string {
  return microsToTime(timeToMicros(queryTime(time)), 0).slice(0, -1);
}

/** Without an exponent, which few agencies accept, and without trailing zeros. */
function decimal(value: number): string {
  return trimEnd(trimEnd(value.toFixed(DIGITS), "0"), ".");
}

/** A box to request, in degrees: west ≤ east, both of one sign. */
export type LongitudeBox = { readonly west: number; readonly east: number };

/** Margin added to each bound, in degrees, since some agencies round to 0.001°. */
export const DEGREES_MARGIN = 0.001;

type Side = { readonly first: number; readonly last: number };
/** Ends a tenth of a millimetre before the prime meridian, where the eastern side begins. */
const WESTERN: Side = { first: -180, last: -1e-9 };
const EASTERN: Side = { first: 0, last: 180 };

/**
 * The boxes of longitude to request; [null] for all longitudes. A box across the antimeridian
 * becomes two, because few agencies accept west > east. So does one across the prime meridian:
 * GeoNet shifts longitudes to 0…360, where −10…10 is empty.
 */
export function longitudeBoxes(
  query: Pick<AgencyQuery, "minLongitude" | "maxLongitude">,
): readonly (LongitudeBox | null)[] {
  const [west, east] = [query.minLongitude ?? -180, query.maxLongitude ?? 180];
  if (west <= -180 && east >= 180) return [null];
  if (west <= east) return sidesOf(west, east);
  return [...sidesOf(west, 180), ...sidesOf(-180, east)];
}

function sidesOf(west: number, east: number): LongitudeBox[] {
  return [WESTERN, EASTERN].flatMap(({ first, last }) => {
    if (west > last || east < first) return [];
    return [
      {
        west: Math.max(first, west - DEGREES_MARGIN),
        east: Math.min(last, east + DEGREES_MARGIN),
      },
    ];
  });
}
