/**
 * What the event service and the summary feeds have in common: which catalogue and version is
 * meant, and its events.
 */

import type { Pool } from "pg";
import type { DatabasePool } from "slonik";
import { StoredMetadata } from "#contracts/catalogue-metadata.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import { type FdsnQuery, NO_INCLUSION, parseFdsnQuery } from "#contracts/fdsn/query.ts";
import {
  type FdsnParams,
  FEED_FORMATS,
  FEED_MAGNITUDES,
  FEED_PERIODS,
  type FeedName,
  feedOf,
} from "#contracts/http/clients.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import { compactEventId } from "#contracts/seismic-event/ids.ts";
import { MINUTE_MS } from "#contracts/units.ts";
import { PARTS, type PartNumber } from "#infra/bulletins/packed-bulletin.ts";
import { listedName } from "#infra/formats/delimited/fdsn-text.ts";
import {
  FACADE_FORMATS,
  type FacadeFormat,
  isOfWholeEvents,
} from "#infra/formats/facade/facade-formats.ts";
import {
  applicationJson,
  COUNT_DOCUMENTS,
  catalogsXml,
  contributorsXml,
  wadl,
} from "#infra/formats/facade/fdsn-documents.ts";
import { type FacadeAnswer, FDSN_VERSION } from "#infra/formats/facade-row.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { copyBytes } from "#infra/postgres/copy/copy-out.ts";
import type { AskedPool, Lookups } from "#infra/postgres/statements.ts";
import { catalogueNamed, publicCatalogueNames } from "#projections/read/catalogues.ts";
import {
  countSelected,
  type FacadeFilters,
  type FacadeSelection,
  facadeRows,
  firstRows,
  type KnownValues,
  priceOfSelected,
  type ReadKnownValues,
  type Removal,
  readRemoval,
  sizeOfFirst,
  versionCommittedBy,
} from "#projections/read/clients.ts";
import { leadsTo, readIdHolders } from "#projections/read/events.ts";
import { exportConnection } from "#projections/read/exports.ts";
import { type CatalogueFacts, catalogueFacts, type Reader } from "#projections/read/rights.ts";
import {
  firstReadable,
  isPublicVersion,
  type ResolvedVersion,
  requirePresent,
  resolveVersion,
} from "#projections/read/versions.ts";
import type { EventReads } from "#projections/read/walk.ts";
import { type ExportThreads, writtenFile } from "../exports/exporter.ts";
import { createTextFileWriter } from "../exports/writers.ts";
import {
  type Answer,
  type AnswerPieces,
  type Call,
  type Handlers,
  KEPT,
  type TextAnswer,
} from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { contentTag, facadeTag, minuteTag } from "../headers.ts";
import { type AnswerPlace, readsFor, type SearchCall } from "../turns.ts";

type TargetDeps = {
  readonly pool: DatabasePool;
  readonly lookups: Lookups;
  readonly publicBaseUrl: string;
  /** Read at the root where the parameter `catalog` names none; null for none. */
  readonly fdsnCatalogue: string | null;
  readonly now: () => Date;
};

type TargetCall = {
  readonly params: FdsnParams;
  readonly reader: Reader;
  readonly facts: CatalogueFacts | null;
  readonly url: string;
};

/** The parameters that choose a catalogue and a version. */
type TargetQuery = { readonly catalog: string | null; readonly asOf: string | null };

const NO_CHOICE: TargetQuery = { catalog: null, asOf: null };

const SERVICE = "/fdsnws/event/1";
/** Younger versions may not be visible yet. */
const SETTLED_MS = 60_000;

/** What a request to the event service reads. */
type FacadeTarget = Awaited<ReturnType<typeof facadeTarget>>;

/**
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED for a guest at a private or unknown catalogue, VALIDATION_ERROR when
 * nothing names a catalogue, or two things a version
 */
async function facadeTarget(
  deps: TargetDeps,
  { params, reader, facts, url }: TargetCall,
  query: TargetQuery,
) {
  const { lookups, publicBaseUrl } = deps;
  const pinned = params.version ?? params.at;
  if (pinned !== undefined && query.asOf !== null) {
    throw invalid("asof", "the address names a version already");
  }
  const catalogueId = params.id ?? (await catalogueAtRoot(deps, query.catalog, reader));
  const asOf = pinned ?? query.asOf ?? undefined;
  const known = facts?.id === catalogueId ? facts : null;
  const catalogue = known ?? (await catalogueFacts(lookups, catalogueId, reader));
  if (catalogue === null) throw notThere(reader);
  const version = await resolveVersion(lookups, { catalogueId, asOf, reader, facts: catalogue });
  const { id, name, metadata: json, updatedAt } = catalogue;
  const metadata = json === null ? null : StoredMetadata.parse(JSON.parse(json));
  const settles = settlesAt(params);
  const isVersioned = settles < deps.now().getTime();
  const { keptUntil } = isVersioned ? KEPT : { keptUntil: settles };
  const base = params.id === undefined ? `/api/catalogues/${catalogueId}` : baseOf(url);
  return {
    catalogue: { id, name, metadata, updatedAt },
    version,
    /** Base address of the event service for links in answers. */
    service: publicBaseUrl + base + SERVICE,
    /** Address of the catalogue, or of its share. */
    address: `${publicBaseUrl}${base.replace(/\/(?:versions|at)\/[^/]*$/, "")}`,
    /** Entity tag of what is read of the version. */
    tag: facadeTag(version, name),
    isPublic: isPublicVersion(version),
    /** Whether the address names a version that no later one can take the place of. */
    isVersioned,
    /** Until when an answer about it may be given again; undefined for never (`handler.ts`). */
    keptUntil: known === null ? undefined : keptUntil,
  };
}

/** Guests are asked who they are before they learn which catalogues there are. */
function notThere(reader: Reader): Refusal {
  if (reader.kind === "guest") return new Refusal("UNAUTHENTICATED");
  return new Refusal("NOT_FOUND", "Catalogue not found");
}

/** Base address of the service that a request has reached. */
function serviceOf(
  { publicBaseUrl }: Pick<TargetDeps, "publicBaseUrl">,
  { url }: Pick<TargetCall, "url">,
): string {
  return publicBaseUrl + baseOf(url) + SERVICE;
}

async function catalogueAtRoot(
  { pool, fdsnCatalogue }: TargetDeps,
  named: string | null,
  reader: Reader,
): Promise<string> {
  if (named !== null) return catalogueNamed(pool, named, reader);
  if (fdsnCatalogue !== null) return fdsnCatalogue;
  throw invalid("catalog", "is required here: the id or the name of a public catalogue");
}

/** What lies below a base. */
const BELOW = [`${SERVICE}/`, "/feed/v1.0/"];

/** The path before the service or the feeds. */
function baseOf(url: string): string {
  const path = url.replace(/\?.*/s, "");
  const ends = BELOW.map((below) => path.indexOf(below)).filter((end) => end >= 0);
  return path.slice(0, Math.min(...ends));
}

/** From when on the version that an address names is what it is, milliseconds since 1970; infinite where it names none. */
function settlesAt({ version, at }: FdsnParams): number {
  if (version !== undefined) return Number.NEGATIVE_INFINITY;
  return at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at) + SETTLED_MS;
}

/** The events that are meant, and the removed one that would be. */
type WantedEvents = Pick<FacadeFilters, "eventIds" | "deleted"> & {
  /** Whether earlier versions have told, of which readers may not all read the same. */
  readonly isOfHistory: boolean;
  /** Where the ids lead to removed events alone, which are not wanted: the one that went last; else null. */
  readonly removed: string | null;
};

/** Finds the events that are meant by any id that they have or had, in the versions that the caller may read. */
async function wantedEvents(
  { pool }: { readonly pool: DatabasePool },
  { version }: Pick<FacadeTarget, "version">,
  { eventIds, includeDeleted }: Pick<FdsnQuery, "eventIds" | "includeDeleted">,
  reader: Reader,
): Promise<WantedEvents> {
  const from = firstReadable(version, reader.kind === "guest");
  const deleted = includeDeleted === null ? null : { which: includeDeleted, from };
  if (eventIds === null) {
    return { eventIds: null, deleted, isOfHistory: deleted !== null, removed: null };
  }
  const found = await readIdHolders(pool, { ...version, from }, eventIds);
  const holders = [...found.values()];
  const there = includeDeleted === "only" ? [] : holders.flatMap(leadsTo);
  const removed = holders.flat().filter(({ isThere }) => !isThere);
  const meant = deleted === null ? there : [...there, ...removed];
  const [latest] = removed.toSorted((a, b) => b.last - a.last);
  return {
    eventIds: [...new Set(meant.map(({ eventId }) => eventId))],
    deleted,
    isOfHistory: deleted !== null || meant.some(({ has }) => !has),
    removed: meant.length > 0 ? null : (latest?.eventId ?? null),
  };
}

/** @throws Refusal GONE, which tells of the removed event that is meant, where one is */
async function requireNotRemoved(
  { pool }: { readonly pool: DatabasePool },
  target: FacadeTarget,
  { removed }: WantedEvents,
  reader: Reader,
): Promise<void> {
  if (removed === null) return;
  const from = firstReadable(target.version, reader.kind === "guest");
  const removal = await readRemoval(pool, { ...target.version, from }, removed);
  throw new Refusal("GONE", sentencesOf(removal, target));
}

function sentencesOf(
  { eventId, removedBy, last, successor }: Removal,
  { address, service }: FacadeTarget,
): string {
  const id = compactEventId(eventId);
  const then = `${address}/versions/${last}/fdsnws/event/1/query?eventid=${id}`;
  const gone = `The event ${id} was removed in version ${removedBy}; version ${last} is the last that has it: ${then}`;
  if (successor === null) return gone;
  const next = compactEventId(successor);
  return `${gone} . One of its ids leads to the event ${next} now: ${service}/query?eventid=${next}`;
}

type FindDeps = {
  readonly reads: EventReads;
  readonly exportPool: Pool;
  readonly threads: ExportThreads;
};

type FoundEvents = {
  /** Their number; null where it is large and not asked for. */
  readonly count: number | null;
  readonly write: (facade: FacadeFormat, answer: Omit<FacadeAnswer, "count">) => Content;
};

/** Few events are a text, many are written while they are sent. */
type Content = { readonly text: string } | { readonly open: () => AnswerPieces };

/** Which numbers an answer tells: none, that of its events, or that of all that match as well. */
type Counting = "none" | "answer" | "all";

/** More events are streamed, in the turn of exports. */
const SMALL = 1_000;
/** Of bulletins: their answer is written within 20 ms. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Finds the events of a selection: few are read at once, many when the answer is written.
 * @throws Refusal NOT_FOUND when the catalogue was deleted meanwhile; RateLimited
 */
async function findEvents(
  { exportPool, threads, ...deps }: FindDeps,
  selection: FacadeSelection,
  { asker, turn }: { readonly asker: Asker; readonly turn: AnswerPlace["turn"] },
  counting: Counting,
): Promise<FoundEvents> {
  const reads = readsFor(deps.reads, { asker, turn });
  const { version, query } = selection;
  const first = Math.min(query.limit ?? Number.POSITIVE_INFINITY, SMALL + 1);
  const cost = { price: priceOfSelected(version, query, first), events: 0 };
  const few = await reads.search(cost, async (pool) =>
    (await areFew(pool)) ? readFew(pool) : null,
  );
  if (few !== null) {
    const isPart = counting === "all" && (query.offset > 0 || few.count === query.limit);
    return fewEvents(
      few.rows,
      few.count,
      isPart ? await countAll(reads, version, query) : few.count,
    );
  }
  const total = counting === "none" ? null : await countAll(reads, version, query);
  const count = total === null ? null : within(total, query);
  await turn("exports");
  return {
    count,
    write: (facade, answer) => ({
      open: () =>
        writtenFile(
          threads,
          { facade, answer: { ...answer, count: count ?? 0, total: total ?? 0 }, count },
          streamed,
          asker,
        ),
    }),
  };

  /** Whether they may be: a bulletin may be larger than a thousand events. */
  async function areFew(pool: AskedPool): Promise<boolean> {
    if (selection.bulletins === undefined) return true;
    const { count: number, bytes } = await sizeOfFirst(pool, selection, SMALL);
    return number < SMALL && bytes <= SMALL_BYTES;
  }

  /** Null where there are more; what was read of them is not kept, because turns may be long in coming. */
  async function readFew(pool: AskedPool) {
    const { more, ...rows } = await firstRows(pool, selection, SMALL);
    if (rows.count === 0) await requirePresent(reads.prepared, version);
    return more ? null : rows;
  }

  async function* streamed(): AsyncGenerator<Buffer> {
    const client = await exportConnection(exportPool);
    yield* copyBytes(client, facadeRows(selection), asker.signal);
  }
}

/** The number of all events of a selection, whatever its offset and limit. */
function countAll(
  { search }: Pick<EventReads, "search">,
  version: ResolvedVersion,
  query: FacadeFilters & Pick<FdsnQuery, "offset">,
): Promise<number> {
  const cost = { price: priceOfSelected(version, query, 0), events: 0 };
  return search(cost, (pool) => countSelected(pool, version, query));
}

/** What a selection that nothing can fulfil finds. */
const NO_EVENTS: FoundEvents = fewEvents(Buffer.alloc(0), 0);

function fewEvents(rows: Buffer, count: number, total = count): FoundEvents {
  return {
    count,
    write(facade, answer) {
      const writer = createTextFileWriter({ facade, answer: { ...answer, count, total }, count });
      return { text: [...writer.take(rows), ...writer.end()].join("") };
    },
  };
}

/** The number of events that offset and limit leave of all. */
function within(count: number, { offset, limit }: Pick<FdsnQuery, "offset" | "limit">): number {
  return Math.min(Math.max(count - offset, 0), limit ?? Number.POSITIVE_INFINITY);
}

type Query = Pick<FdsnQuery, "limit" | "offset" | "inclusion">;

const EVERYTHING: Query = { limit: null, offset: 0, inclusion: null };

type AnswerTo = {
  /** The whole address that was asked for. */
  readonly request: string;
  /** Until when it tells of the events; by default when what it tells was changed last. */
  readonly at?: string;
  /** The catalogue's name where absent. */
  readonly title?: string;
};

/**
 * An answer of the event service, but for the number of its events. The time at which it was made is that of the
 * catalogue's last change: who asks again gets the same.
 */
function facadeAnswer(
  { catalogue: { updatedAt, ...catalogue }, version, service, address }: FacadeTarget,
  { request, at = updatedAt, title = catalogue.name }: AnswerTo,
  { limit, offset, inclusion }: Query = EVERYTHING,
): Omit<FacadeAnswer, "count"> {
  return {
    catalogue,
    version: version.version,
    exportedAt: at,
    service,
    address,
    request,
    title,
    limit,
    offset: offset + 1,
    allOrigins: inclusion !== null && (inclusion.allOrigins || inclusion.everything),
    allMagnitudes: inclusion !== null && (inclusion.allMagnitudes || inclusion.everything),
    inclusion,
  };
}

/** The headers of answers about a target, and who may keep them. */
function headOf({ tag, version: shown, isPublic, isVersioned, keptUntil }: FacadeTarget) {
  return { headers: { etag: tag }, shown, isPublic, isVersioned, keptUntil };
}

/**
 * Which members there are also depends on the caller, and on catalogues that are published or deleted
 * without a version of this one; so it does which earlier versions tell of events: such an answer has no tag, and no
 * shared cache keeps it.
 */
const HEAD_FOR_CALLER = { isPublic: false, isVersioned: false } as const;

export const handlersOfEventService = (deps: HandlerDeps) =>
  ({
    fdsnQuery: async (call) => {
      const query = asShown(readQuery(call, "query", call.params.format));
      const { format } = query;
      const target = await facadeTarget(deps, call, query);
      const counting = COUNTED[format] ?? "none";
      const wanted = selects(target, query) ? await wantedOf(deps, target, query, call) : null;
      const events =
        wanted === null
          ? NO_EVENTS
          : await findEvents(
              deps,
              await selectionOf(
                { ...deps, reads: readsFor(deps.reads, call) },
                target,
                { query, wanted },
                call,
              ),
              call,
              counting,
            );
      if (events.count === 0 && WITHOUT_COLLECTION.has(format)) return noData(query, target);
      const isDetail = format === "geojson" && query.eventIds !== null && events.count === 1;
      const request = deps.publicBaseUrl + call.url;
      const answer = facadeAnswer(target, { request }, query);
      return {
        ...(wantsMembers(query) || wanted?.isOfHistory ? HEAD_FOR_CALLER : headOf(target)),
        contentType: FACADE_FORMATS[format].contentType,
        ...events.write(isDetail ? "detail" : format, answer),
      };
    },

    fdsnCount: async (call) => {
      const query = readQuery(call, "count", undefined);
      const target = await facadeTarget(deps, call, query);
      const { version } = target;
      const reads = readsFor(deps.reads, call);
      const wanted = selects(target, query)
        ? await wantedEvents(deps, target, query, call.reader)
        : null;
      const all =
        wanted === null
          ? 0
          : await countAll(
              reads,
              version,
              await filtersOf({ ...deps, reads }, version, { query, wanted }),
            );
      const { contentType, write } = COUNT_DOCUMENTS[query.format as keyof typeof COUNT_DOCUMENTS];
      const head = wanted?.isOfHistory ? HEAD_FOR_CALLER : headOf(target);
      return { ...head, contentType, text: write(within(all, query)) };
    },

    fdsnCatalogs: async (call) => {
      const { catalogs, keeping } = await valuesOf(deps, call);
      return document(XML, catalogsXml(catalogs), keeping);
    },

    fdsnContributors: async (call) => {
      const { agencies, keeping } = await valuesOf(deps, call);
      return document(XML, contributorsXml(agencies), keeping);
    },

    fdsnVersion: async (call) => {
      return document(TEXT, FDSN_VERSION, await placeOf(deps, call));
    },

    fdsnWadl: async (call) => {
      const place = await placeOf(deps, call);
      return document(XML, wadl(place.service), place);
    },

    fdsnApplicationJson: async (call) => {
      const { agencies: contributors, keeping, ...values } = await valuesOf(deps, call);
      return document(JSON_TYPE, applicationJson({ ...values, contributors }), keeping);
    },
  }) satisfies Partial<Handlers>;

type DocumentDeps = TargetDeps & {
  readonly reads: EventReads;
  readonly knownValues: ReadKnownValues;
};

/** The lists of a service's values; at the root without a catalogue of its own there are none. */
type ServiceValues = KnownValues & {
  readonly catalogs: readonly string[];
  readonly keeping: Keeping;
};

/** Who may keep an answer, and whether it stays as it is. */
type Keeping = Pick<FacadeTarget, "isPublic" | "isVersioned" | "keptUntil">;

const AT_ROOT: Keeping = { isPublic: true, isVersioned: false, keptUntil: undefined };
const NONE: KnownValues = { agencies: [], magnitudeTypes: [] };

async function valuesOf(deps: DocumentDeps, call: TargetCall & SearchCall): Promise<ServiceValues> {
  const isRoot = call.params.id === undefined;
  const catalogs = isRoot ? await publicCatalogueNames(deps.pool, call.reader) : null;
  if (isRoot && deps.fdsnCatalogue === null) {
    return { ...NONE, catalogs: catalogs ?? [], keeping: AT_ROOT };
  }
  const { catalogue, version, ...keeping } = await facadeTarget(deps, call, NO_CHOICE);
  const values = await deps.knownValues(readsFor(deps.reads, call), version);
  if (catalogs === null) return { ...values, catalogs: [catalogue.name], keeping };
  // A list of all catalogues follows from more than this one.
  return { ...values, catalogs, keeping: { ...keeping, keptUntil: undefined } };
}

const XML = "application/xml";
const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

/** Where the service is. At the root it has no catalogue. */
async function placeOf(deps: DocumentDeps, call: TargetCall) {
  if (call.params.id === undefined) return { service: serviceOf(deps, call), ...AT_ROOT };
  return facadeTarget(deps, call, NO_CHOICE);
}

function document(
  contentType: string,
  text: string,
  { isPublic, isVersioned, keptUntil }: Keeping,
): TextAnswer {
  const headers = { etag: contentTag(text) };
  return { contentType, text, headers, isPublic, isVersioned, keptUntil };
}

/** Formats in which clients expect no content for no events; in the others an empty collection. */
const WITHOUT_COLLECTION: ReadonlySet<Format> = new Set(["xml", "text", "isf", "sc3ml"]);

/** Formats that tell when an event was last changed. */
const DATED: ReadonlySet<Format> = new Set(["geojson", "csv", "json"]);

const ALL_PARTS: readonly PartNumber[] = Object.values(PARTS);

/** Formats whose head tells numbers of events; EMSC's that of all that match, by which clients page. */
const COUNTED: Readonly<Partial<Record<Format, Counting>>> = { geojson: "answer", json: "all" };

type FdsnQueryDeps = TargetDeps & FindDeps & { readonly knownValues: ReadKnownValues };

type FdsnOperation = Operations["fdsnQuery"];
type Format = FdsnQuery["format"];

/** @throws Refusal GONE where a removed event is meant */
async function wantedOf(
  deps: FdsnQueryDeps,
  target: FacadeTarget,
  query: FdsnQuery,
  { reader }: Pick<Call<FdsnOperation>, "reader">,
): Promise<WantedEvents> {
  const wanted = await wantedEvents(deps, target, query, reader);
  await requireNotRemoved(deps, target, wanted, reader);
  return wanted;
}

/** @throws Refusal VALIDATION_ERROR that names the parameter */
function readQuery(
  { query: raw, regionArea }: Pick<Call<FdsnOperation>, "query" | "regionArea">,
  method: "query" | "count",
  format: string | undefined,
): FdsnQuery {
  const parsing = parseFdsnQuery(raw, { method, format });
  if (parsing.ok) {
    const { query } = parsing;
    return regionArea ? { ...query, filters: { ...query.filters, regionArea } } : query;
  }
  const { parameter, message } = parsing.fault;
  throw new Refusal("VALIDATION_ERROR", message, { details: [{ field: parameter, message }] });
}

/** Below a catalogue `catalog` is a condition, which its id or its name fulfils. */
function selects({ catalogue }: FacadeTarget, { catalog }: FdsnQuery): boolean {
  if (catalog === null) return true;
  return (
    catalog.toLowerCase() === catalogue.id || listedName(catalog) === listedName(catalogue.name)
  );
}

type Asked = { readonly query: FdsnQuery; readonly wanted: WantedEvents };

async function filtersOf(
  { lookups, reads, knownValues }: FdsnQueryDeps,
  version: ResolvedVersion,
  { query, wanted: { eventIds, deleted } }: Asked,
): Promise<Omit<FdsnQuery, "contributor" | "eventIds"> & FacadeFilters> {
  const { updatedAfter } = query;
  const changedAfter =
    updatedAfter === null ? null : await versionCommittedBy(lookups, version, updatedAfter);
  return { ...query, eventIds, deleted, changedAfter, contributor: await contributorsOf() };

  /** The agencies that are listed so, which differ in what no list can hold. */
  async function contributorsOf(): Promise<readonly string[] | null> {
    const { contributor } = query;
    if (contributor === null) return null;
    const { agencies } = await knownValues(reads, version);
    return agencies.filter((agency) => listedName(agency) === listedName(contributor));
  }
}

async function selectionOf(
  deps: FdsnQueryDeps,
  { version }: FacadeTarget,
  asked: Asked,
  { actor }: Pick<Call<FdsnOperation>, "actor">,
): Promise<FacadeSelection> {
  const { query } = asked;
  const readable = actor === null ? "public" : "all";
  const members = wantsMembers(query) ? readable : "none";
  const filters = await filtersOf(deps, version, asked);
  const bulletins = bulletinPartsOf(query);
  const withUpdated = DATED.has(query.format);
  return { version, query: filters, withUpdated, members, ...(bulletins && { bulletins }) };
}

/** A query with what its answer is to have of bulletins, from which only xml is made. */
function asShown(query: FdsnQuery): FdsnQuery {
  const { format, inclusion, anyMagnitude } = query;
  if (format !== "xml") return { ...query, inclusion: null };
  return inclusion === null && anyMagnitude ? { ...query, inclusion: NO_INCLUSION } : query;
}

/** The parts of bulletins from which an answer is made; null for one that is made of rows. */
function bulletinPartsOf({ format, inclusion }: FdsnQuery): readonly PartNumber[] | null {
  if (isOfWholeEvents(format)) return ALL_PARTS;
  if (inclusion === null) return null;
  const { arrivals, picks, amplitudes, stationMagnitudes, everything } = inclusion;
  const withAmplitudes = amplitudes || stationMagnitudes || everything;
  return [
    PARTS.head,
    // Amplitudes bring their picks.
    ...(arrivals || picks || withAmplitudes ? [PARTS.picks] : []),
    ...(withAmplitudes ? [PARTS.amplitudes] : []),
  ];
}

function wantsMembers({ inclusion }: FdsnQuery): boolean {
  if (inclusion === null) return false;
  return inclusion.allOrigins || inclusion.allMagnitudes || inclusion.everything;
}

/** @throws Refusal NOT_FOUND where the client asks for 404 */
function noData(
  { noData: status, format }: FdsnQuery,
  target: FacadeTarget,
): Answer<FdsnOperation> {
  if (status === 404) throw new Refusal("NOT_FOUND", "No events match the query");
  const { contentType } = FACADE_FORMATS[format];
  return { ...headOf(target), status, contentType, text: "" };
}

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
      const selection = { ...allOf(target), query: { ...WITHOUT_LIMITS, eventIds } };
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
    const { write } = await findEvents(deps, feedSelection(target, name, now), call, "answer");
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

function feedSelection(target: FacadeTarget, name: FeedName, now: number): FacadeSelection {
  const least = FEED_MAGNITUDES[name.magnitude];
  const filters = {
    startTime: new Date(now - FEED_PERIODS[name.period]).toISOString(),
    ...(least !== null && { minMagnitude: least }),
  };
  return { ...allOf(target), query: { ...WITHOUT_LIMITS, filters } };
}

const WITHOUT_LIMITS = {
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
