import { z } from "zod";
import { HOUR_MS } from "../../units.ts";
import { Id } from "../catalogue.ts";
import { operation } from "../operation.ts";
import { addressesBelowCatalogues, FdsnParams } from "./fdsn-event.ts";

/** Smallest magnitude of each feed; null for all events. */
export const FEED_MAGNITUDES = {
  all: null,
  "1.0": 0.95,
  "2.5": 2.45,
  "4.5": 4.45,
  /** The magnitude from which USGS's significance, 100·M²/6.5 rounded, is 600 or more. */
  significant: Math.sqrt((599.5 * 6.5) / 100),
} as const;

/** Time before now that each feed covers, milliseconds. */
export const FEED_PERIODS = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
} as const;

export const FEED_FORMATS = {
  geojson: "application/json; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  quakeml: "application/xml",
  atom: "application/atom+xml",
} as const;

export type FeedName = {
  readonly magnitude: keyof typeof FEED_MAGNITUDES;
  readonly period: keyof typeof FEED_PERIODS;
  readonly format: keyof typeof FEED_FORMATS;
};

const NAME = /^(all|1\.0|2\.5|4\.5|significant)_(hour|day|week|month)\.(geojson|csv|quakeml|atom)$/;

/** A feed by the name of its file, for example `2.5_day.geojson`. */
export function feedOf(name: string): FeedName {
  const [, magnitude, period, format] = NAME.exec(name) ?? [];
  return { magnitude, period, format } as FeedName;
}

/** As USGS's real-time summary feeds, of one catalogue. */
export const getSummaryFeed = operation({
  method: "GET",
  path: "/api/catalogues/:id/feed/v1.0/summary/:name",
  summary: "The earthquakes of the past hour, day, week or month, as USGS's summary feeds",
  tag: "Summary feeds",
  access: "readers",
  rate: "clients",
  caching: "revalidated",
  params: z.object({ id: Id, name: z.string().regex(NAME) }),
  query: z.strictObject({}),
  success: {
    status: 200,
    schema: z.string().describe("the feed"),
    contentTypes: Object.values(FEED_FORMATS),
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "TOO_MANY_EVENTS"],
});

const [{ path, access }, ...alsoAt] = addressesBelowCatalogues("/feed/v1.0/detail/:name");

/**
 * One event, as USGS's detail feed. ComCat's GeoJSON leads here: of an address with a query libcomcat
 * takes the event's id alone, and asks USGS for it.
 */
export const getEventDetail = operation({
  method: "GET",
  path,
  access,
  alsoAt,
  summary: "One earthquake by any of its ids, as USGS's detail feed",
  tag: "Summary feeds",
  rate: "clients",
  caching: "revalidated",
  params: FdsnParams.omit({ format: true }).extend({ name: z.string().regex(/.\.geojson$/s) }),
  query: z.strictObject({}),
  success: {
    status: 200,
    schema: z.string().describe("a Feature"),
    contentTypes: [FEED_FORMATS.geojson],
  },
  errors: ["VALIDATION_ERROR", "NOT_FOUND", "GONE", "TOO_MANY_EVENTS"],
});
