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
import type { FacadeSelection } from "#projections/read/clients.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { minuteTag } from "../headers.ts";
import {
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
      const answer = facadeAnswer(target, { request });
      return {
        ...(wanted.isOfHistory ? HEAD_FOR_CALLER : headOf(target)),
        contentType: FEED_FORMATS.geojson,
        ...write("detail", answer),
      };
    },
  }) satisfies Partial<Handlers>;

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

/** A feed is of whole minutes, so that all who ask within one get the same. */
const getSummaryFeedHandler: (deps: HandlerDeps) => Handlers["getSummaryFeed"] =
  (deps) => async (call) => {
    const { id } = call.params;
    const name = feedOf(call.params.name);
    const minute = Math.floor(deps.now().getTime() / MINUTE_MS);
    const target = await facadeTarget(deps, { ...call, params: { id } }, NO_CHOICE);
    const now = minute * MINUTE_MS;
    const { write } = await findEvents(deps, selectionOf(target, name, now), call, "answer");
    const period = name.period.replace(/^./, (letter) => letter.toUpperCase());
    const title = `${target.catalogue.name} ${TITLES[name.magnitude]}, Past ${period}`;
    const request = deps.publicBaseUrl + call.url;
    const answer = facadeAnswer(target, { title, request, at: new Date(now).toISOString() });
    return {
      contentType: FEED_FORMATS[name.format],
      headers: { etag: minuteTag(target.version.version, minute) },
      isPublic: target.isPublic,
      keptUntil: now + MINUTE_MS,
      ...write(WRITTEN_AS[name.format], answer),
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
