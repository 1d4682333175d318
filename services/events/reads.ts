import type { SolutionChanges } from "#contracts/bulletin/schema.ts";
import { Refusal } from "#contracts/errors.ts";
import { EVENTS_LIMITS, type EventsQuery, type FilteredQuery } from "#contracts/http/events.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import type { SeismicEvent, ShownSourceEvent } from "#contracts/seismic-event/seismic-event.ts";
import { readPieces } from "#projections/read/bulletins.ts";
import { readEvent, readEventHistory } from "#projections/read/events.ts";
import {
  AS_EVENTS,
  AS_EVENTS_WITH_SOURCES,
  asWholeEvents,
  decodeCursor,
  type PageForm,
} from "#projections/read/pages.ts";
import { shownMembers, shownSources } from "#projections/read/rights.ts";
import { isPublicVersion, type VersionRequest } from "#projections/read/versions.ts";
import {
  type EventReads,
  sliceOfEvents,
  type WalkRequest,
  walkEvents,
} from "#projections/read/walk.ts";
import { type VersionEntry, versionOf } from "#services/domain/versions.ts";
import { type BulletinComparer, createBulletinComparer } from "../bulletins/work.ts";
import { type ExportThreads, writtenEvent } from "../exports/exporter.ts";
import {
  type Answer,
  type Call,
  following,
  type Handlers,
  JsonItem,
  JsonList,
  KEPT,
} from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { changesTag, versionTag } from "../headers.ts";
import { readsFor } from "../turns.ts";

export function handlersOfReads(deps: HandlerDeps) {
  const { reads, threads, pool, lookups } = deps;
  return {
    listEvents: ({ params: { id: catalogueId }, query, reader, facts, turn, asker }) => {
      const request = { ...query, catalogueId, reader, facts };
      const read = { page: byPage, offset: byOffset, cursor: byCursor }[paginationFamily(query)];
      const form = formOf({ query, asker }, threads);
      return read(readsFor(reads, { turn, asker }), request, form);
    },

    filterEvents: async (call) => {
      const request = walkOf(call);
      const page = await walkEvents(readsFor(reads, call), request, formOf(call, threads));
      const { events, nextCursor } = page;
      return {
        body: {
          events: new JsonList(events.json),
          count: events.count,
          truncated: nextCursor !== null,
          ...following(nextCursor),
        },
        ...headOf(page),
      };
    },

    getEvent: async ({
      params: { id: catalogueId, eventId },
      query: { asOf, include },
      reader,
      facts,
      asker,
    }) => {
      const request = { catalogueId, eventId, asOf, reader, facts };
      const { event, version } = await readEvent(lookups, request);
      const source =
        include === undefined || event.bulletin_sha256 === undefined
          ? null
          : await readPieces(pool, version.id, event.id, version.version);
      const whole = source && {
        event: JSON.stringify(eventBody(event, version.hidden)),
        source,
        bytes: event.bulletin_counts?.bytes ?? 0,
      };
      return {
        body: {
          event: whole
            ? new JsonItem(await writtenEvent(threads, whole, asker))
            : eventBody(event, version.hidden),
        },
        headers: { etag: versionTag(version.version) },
        isPublic: isPublicVersion(version),
        ...KEPT,
      };
    },

    getEventHistory: async (call) => {
      const { reader, facts, isGuest, asker } = call;
      const { id: catalogueId, eventId } = call.params;
      const request = { catalogueId, eventId, reader, facts };
      const { history, latest, from } = await readEventHistory(deps, request);
      const { version, publicFrom } = latest;
      const versions = await deps.versionHistories.read(catalogueId);
      const solutions = await solutionsOf(history, createBulletinComparer(deps, latest.id, asker));
      const entries = history.map(({ event, ...entry }, i) => ({
        ...entry,
        actor: isGuest ? null : entry.actor,
        ...originOf(versions && versionOf(versions, entry.version), isGuest, latest.hidden),
        event: eventBody(event, latest.hidden),
        ...solutions[i],
      }));
      return {
        body: { history: entries },
        headers: { etag: from > 1 ? changesTag(version, from) : versionTag(version) },
        // Who changed it, and why, is for signed-in callers.
        isPublic: isGuest && publicFrom !== null,
      };
    },
  } satisfies Partial<Handlers>;
}

type Read = (
  reads: EventReads,
  request: EventsQuery & Pick<VersionRequest, "catalogueId" | "reader" | "facts">,
  form: PageForm,
) => Promise<Answer<Operations["listEvents"]>>;

const byPage: Read = async (reads, { page = 1, pageSize, ...request }, form) => {
  const limit = pageSize ?? EVENTS_LIMITS.pageSize.default;
  const offset = (page - 1) * limit;
  const slice = await sliceOfEvents(reads, { ...request, offset, limit }, form);
  const { events, total } = slice;
  return {
    body: { events: new JsonList(events.json), total, page, pageSize: limit },
    ...headOf(slice),
  };
};

const byOffset: Read = async (reads, { offset, limit: most, ...request }, form) => {
  const limit = most ?? EVENTS_LIMITS.limit.default;
  const from = offset ?? 0;
  const slice = await sliceOfEvents(reads, { ...request, offset: from, limit }, form);
  const { events, total, nextCursor } = slice;
  return {
    // A request with only a limit can continue by cursor.
    body: {
      events: new JsonList(events.json),
      total,
      limit,
      offset: from,
      ...(offset === undefined && { pagination: { nextCursor } }),
    },
    ...headOf(slice),
  };
};

const ORDERS = { desc: "time", asc: "time-asc" } as const;

const byCursor: Read = async (
  reads,
  { direction, limit: most, cursor: text, ...request },
  form,
) => {
  const cursor = text === undefined ? null : decodeCursor(text);
  const limit = most ?? cursor?.limit ?? EVENTS_LIMITS.limit.default;
  const order = direction && ORDERS[direction];
  const walk = { ...request, walk: "events", order, filters: {}, limit, cursor } as const;
  const page = await walkEvents(reads, walk, form);
  const { events, nextCursor, prevCursor } = page;
  const pagination = { nextCursor, prevCursor, hasMore: nextCursor !== null, limit };
  return {
    body: { events: new JsonList(events.json), pagination },
    ...headOf(page),
  };
};

/** The parameters of one strategy only; `limit` belongs to offset and cursor. */
const FAMILIES = {
  page: ["page", "pageSize"],
  offset: ["offset"],
  cursor: ["cursor", "direction", "pagination"],
} as const satisfies Record<string, readonly (keyof EventsQuery)[]>;

type Family = keyof typeof FAMILIES;

/**
 * The pagination strategy for the given parameters: a limit alone means limit/offset, none the first
 * page.
 * @throws Refusal VALIDATION_ERROR when parameters of two strategies are mixed
 */
export function paginationFamily(query: EventsQuery): Family {
  const presentOf = (names: readonly (keyof EventsQuery)[]) =>
    names.filter((name) => query[name] !== undefined);
  const chosen = (Object.keys(FAMILIES) as Family[]).filter(
    (family) => presentOf(FAMILIES[family]).length > 0,
  );
  const [family = query.limit === undefined ? "page" : "offset"] = chosen;
  const mixed = chosen.length > 1 || (family === "page" && query.limit !== undefined);
  if (mixed) throw mixedFamilies(presentOf([...Object.values(FAMILIES).flat(), "limit"]));
  return family;
}

function mixedFamilies(names: readonly string[]): Refusal {
  const message = "cannot be combined: they belong to different ways of paging";
  return new Refusal("VALIDATION_ERROR", `${names.join(", ")} ${message}`, {
    details: names.map((field) => ({ field, message })),
  });
}

type FilterEvents = Operations["filterEvents"];

/** Beside the body of a page of events. */
function headOf({ version, isPublic }: { version: number; isPublic: boolean }) {
  return { headers: { etag: versionTag(version) }, isPublic, ...KEPT };
}

function walkOf({ params, query, reader, facts }: Call<FilterEvents>): WalkRequest {
  const { orderBy: order, limit: most, cursor: text, asOf, include: _, ...filters } = query;
  const cursor = text === undefined ? null : decodeCursor(text);
  const limit = most ?? cursor?.limit ?? EVENTS_LIMITS.filteredLimit.default;
  const request = { catalogueId: params.id, reader, facts, asOf };
  return { ...request, walk: "filtered", order, filters, limit, cursor };
}

type Including = Pick<Call<FilterEvents>, "asker"> & {
  readonly query: Pick<FilteredQuery, "include">;
};

/** What `include` asks for. */
function formOf({ query: { include = [] }, asker }: Including, threads: ExportThreads): PageForm {
  const withSources = include.includes("source_events");
  if (include.includes("bulletin")) {
    return asWholeEvents(withSources, (event) => writtenEvent(threads, event, asker));
  }
  return withSources ? AS_EVENTS_WITH_SOURCES : AS_EVENTS;
}

type History = Awaited<ReturnType<typeof readEventHistory>>["history"];

/** For each entry of a history the solutions in which its bulletin differs from the entry's before. */
async function solutionsOf(
  history: History,
  compare: BulletinComparer,
): Promise<Partial<SolutionChanges>[]> {
  const sideOf = ({ version, event }: History[number]) => ({
    version,
    sha256: event.bulletin_sha256 ?? null,
  });
  const solutions: Partial<SolutionChanges>[] = [];
  for (const [i, entry] of history.entries()) {
    const former = history[i + 1];
    const isUpdate = entry.change === "updated" && former !== undefined;
    solutions.push(isUpdate ? await compare(entry.event.id, sideOf(former), sideOf(entry)) : {});
  }
  return solutions;
}

/** What a version was made of, and why; a reason may name people. */
function originOf(
  version: VersionEntry | null | undefined,
  isGuest: boolean,
  hidden: readonly string[] | null,
) {
  const { importRun = null, sources = null, restores = null, reason = null } = version ?? {};
  return {
    import: importRun && { id: importRun.importId, agency: importRun.agency },
    sources: sources && shownSources(sources, hidden),
    restores,
    reason: isGuest ? null : reason,
  };
}

/**
 * An event in the API's form; provenance is included only if there is any.
 * @param hidden sources of a merge that are hidden from whoever gets it
 */
export function eventBody(
  event: SeismicEvent,
  hidden: readonly string[] | null,
): Omit<SeismicEvent, "source_events"> & { source_events?: ShownSourceEvent[] } {
  const { source_events, ...attributes } = event;
  if (source_events === null) return attributes;
  return { ...attributes, source_events: shownMembers(source_events, hidden) };
}

/** The answer to a change of an event: it as it is now, and the version that has the change. */
export function changedEvent(
  { event, version }: { readonly event: SeismicEvent; readonly version: number },
  hidden: readonly string[] | null,
) {
  return {
    body: { event: eventBody(event, hidden), version },
    headers: { etag: versionTag(version) },
  };
}
