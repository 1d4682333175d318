import type { Operations } from "#contracts/http/operations.ts";
import {
  FEED_FORMATS,
  FEED_MAGNITUDES,
  FEED_PERIODS,
  type FeedName,
  feedOf,
} from "#contracts/http/summary-feeds.ts";
import type { FacadeFormat } from "#infra/formats/facade/facade-formats.ts";
import type { FacadeSelection } from "#projections/queries/events/facade-events.ts";
import type { AnswerPieces } from "../http/answer-body.ts";
import { minuteTag } from "../http/etag.ts";
import type { Handler } from "../http/handler.ts";
import { type FacadeTarget, facadeTarget, type TargetDeps } from "./fdsn/facade-target.ts";
import { type FindDeps, findEvents } from "./fdsn/find-events.ts";
import { createFeedCache } from "./feed-cache.ts";

const MINUTE_MS = 60_000;

const WRITTEN_AS: Readonly<Record<FeedName["format"], FacadeFormat>> = {
  geojson: "geojson",
  csv: "csv",
  quakeml: "xml",
  atom: "atom",
};

const TITLES = {
  all: "All Earthquakes",
  "1.0": "M1.0+ Earthquakes",
  "2.5": "M2.5+ Earthquakes",
  "4.5": "M4.5+ Earthquakes",
  significant: "Significant Earthquakes",
} as const satisfies Record<FeedName["magnitude"], string>;

/** A feed is made once a minute at most for each version. Feeds of many events are not kept. */
export function getSummaryFeedHandler(
  deps: TargetDeps & FindDeps,
): Handler<Operations["getSummaryFeed"]> {
  const cache = createFeedCache();
  return async (call) => {
    const { id } = call.params;
    const name = feedOf(call.params.name);
    const minute = Math.floor(deps.now().getTime() / MINUTE_MS);
    const target = await facadeTarget(deps, { ...call, params: { id } }, NO_CHOICE);
    const { version } = target.version;
    const key = [id, version, minute, ...Object.values(name)].join(" ");
    const open = cache.get(key) ?? (await find(key));
    return {
      contentType: FEED_FORMATS[name.format],
      headers: { etag: minuteTag(version, minute) },
      isPublic: target.isPublic,
      open,
    };

    async function find(key: string): Promise<() => AnswerPieces> {
      const now = minute * MINUTE_MS;
      const selection = selectionOf(target, name, now);
      const { count, write } = await findEvents(deps, selection, call, true);
      const answer = {
        catalogue: target.catalogue,
        version,
        exportedAt: new Date(now).toISOString(),
        service: target.service,
        address: target.address,
        request: deps.publicBaseUrl + call.url,
        title: `${target.catalogue.name} ${TITLES[name.magnitude]}, Past ${capitalised(name.period)}`,
        limit: null,
        offset: 1,
        allOrigins: false,
        allMagnitudes: false,
      };
      return cache.keep(key, count ?? 0, () => write(WRITTEN_AS[name.format], answer));
    }
  };
}

const NO_CHOICE = { catalog: null, asOf: null };

function selectionOf({ version }: FacadeTarget, name: FeedName, now: number): FacadeSelection {
  const least = FEED_MAGNITUDES[name.magnitude];
  return {
    version,
    query: {
      filters: {
        startTime: new Date(now - FEED_PERIODS[name.period]).toISOString(),
        ...(least !== null && { minMagnitude: least }),
      },
      eventTypes: null,
      exceptMagnitudeType: null,
      eventIds: null,
      changedAfter: null,
      contributor: null,
      order: "time",
      offset: 0,
      limit: null,
    },
    withUpdated: true,
    members: "none",
  };
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
