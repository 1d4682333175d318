import { Refusal } from "#contracts/errors.ts";
import {
  FEED_FORMATS,
  FEED_MAGNITUDES,
  FEED_PERIODS,
  type FeedName,
  feedOf,
} from "#contracts/http/clients.ts";
import { MINUTE_MS } from "#contracts/units.ts";
import type { FacadeFormat } from "#infra/formats/facade/facade-formats.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import type { FacadeSelection } from "#projections/read/clients.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { minuteTag } from "../headers.ts";
import {
  type Content,
  type FacadeTarget,
  facadeAnswer,
  facadeTarget,
  findEvents,
  HEAD_FOR_CALLER,
  headOf,
  NO_CHOICE,
  requireNotRemoved,
  wantedEvents,
} from "./facade.ts";

export const handlersOfSummaryFeeds = (deps: HandlerDeps) =>
  ({
    getSummaryFeed: getSummaryFeedHandler(deps),

    /** An event by any id that it has or had; where several events have it, it tells of none. */
    getEventDetail: async (call) => {
      const { name, ...params } = call.params;
      const target = await facadeTarget(deps, { ...call, params }, NO_CHOICE);
      const asked = { eventIds: [name.slice(0, -".geojson".length)], includeDeleted: null };
      const wanted = await wantedEvents(deps, target, asked, call.reader);
      await requireNotRemoved(deps, target, wanted, call.reader);
      const { eventIds } = wanted;
      const selection = { ...allOf(target), query: { ...EVERYTHING, eventIds } };
      const { count, write } = await findEvents(deps, selection, call, "answer");
      if (count !== 1) throw new Refusal("NOT_FOUND", "Event not found");
      const request = deps.publicBaseUrl + call.url;
      const answer = facadeAnswer(target, { request, at: deps.now() });
      return {
        ...(wanted.isOfHistory ? HEAD_FOR_CALLER : headOf(target)),
        contentType: FEED_FORMATS.geojson,
        ...write("detail", answer),
      };
    },
  }) satisfies Partial<Handlers>;

/** Each some 700 KB at most. */
const MAX_FEEDS = 32;

const WRITTEN_AS: Readonly<Record<FeedName["format"], FacadeFormat>> = {
  geojson: "feed",
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
const getSummaryFeedHandler: (deps: HandlerDeps) => Handlers["getSummaryFeed"] = (deps) => {
  const feeds = createRecent<Content>(MAX_FEEDS);
  return async (call) => {
    const { id } = call.params;
    const name = feedOf(call.params.name);
    const minute = Math.floor(deps.now().getTime() / MINUTE_MS);
    const target = await facadeTarget(deps, { ...call, params: { id } }, NO_CHOICE);
    const { version } = target.version;
    // Its links begin with the address by which it was asked for.
    const { hidden } = target.version;
    const key = [target.address, version, minute, ...Object.values(name), hidden].join(" ");
    const feed = feeds.get(key) ?? (await find());
    return {
      contentType: FEED_FORMATS[name.format],
      headers: { etag: minuteTag(version, minute) },
      isPublic: target.isPublic,
      ...feed,
    };

    async function find(): Promise<Content> {
      const now = minute * MINUTE_MS;
      const selection = selectionOf(target, name, now);
      const { write } = await findEvents(deps, selection, call, "answer");
      const title = `${target.catalogue.name} ${TITLES[name.magnitude]}, Past ${capitalised(name.period)}`;
      const request = deps.publicBaseUrl + call.url;
      const answer = facadeAnswer(target, { title, request, at: new Date(now) });
      const feed = write(WRITTEN_AS[name.format], answer);
      return "text" in feed ? feeds.keep(key, feed) : feed;
    }
  };
};

function selectionOf(target: FacadeTarget, name: FeedName, now: number): FacadeSelection {
  const least = FEED_MAGNITUDES[name.magnitude];
  const filters = {
    startTime: new Date(now - FEED_PERIODS[name.period]).toISOString(),
    ...(least !== null && { minMagnitude: least }),
  };
  return { ...allOf(target), query: { ...EVERYTHING, filters } };
}

const EVERYTHING = {
  filters: {},
  eventTypes: null,
  exceptMagnitudeType: null,
  anyMagnitude: false,
  eventIds: null,
  deleted: null,
  changedAfter: null,
  contributor: null,
  order: "time",
  offset: 0,
  limit: null,
} as const;

function allOf({ version }: FacadeTarget) {
  return { version, withUpdated: true, members: "none" } as const;
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
