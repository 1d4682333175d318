/**
 * What the event service and the summary feeds have in common: which catalogue and version is
 * meant, and its events.
 */

import type { Pool } from "pg";
import type { DatabasePool } from "slonik";
import { StoredMetadata } from "#contracts/catalogue-metadata.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import type { FdsnQuery } from "#contracts/fdsn/query.ts";
import type { FdsnParams } from "#contracts/http/clients.ts";
import { compactEventId } from "#contracts/seismic-event/ids.ts";
import type { FacadeFormat } from "#infra/formats/facade/facade-formats.ts";
import type { FacadeAnswer } from "#infra/formats/facade-row.ts";
import type { CitedCatalogue } from "#infra/formats/format-writer.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { copyBytes } from "#infra/postgres/copy/copy-out.ts";
import type { AskedPool, Lookups } from "#infra/postgres/statements.ts";
import { catalogueNamed } from "#projections/read/catalogues.ts";
import {
  countSelected,
  type FacadeFilters,
  type FacadeSelection,
  facadeRows,
  firstRows,
  priceOfSelected,
  type Removal,
  readRemoval,
  sizeOfFirst,
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
import { type AnswerPieces, KEPT } from "../handler.ts";
import { facadeTag } from "../headers.ts";
import { type AnswerPlace, readsFor } from "../turns.ts";

/** What a request to the event service reads. */
export type FacadeTarget = {
  readonly catalogue: CitedCatalogue & Pick<CatalogueFacts, "updatedAt">;
  readonly version: ResolvedVersion;
  /** Base address of the event service for links in answers. */
  readonly service: string;
  /** Address of the catalogue, or of its share. */
  readonly address: string;
  /** Entity tag of what is read of the version. */
  readonly tag: string;
  readonly isPublic: boolean;
  /** Whether the address names a version that no later one can take the place of. */
  readonly isVersioned: boolean;
  /** Until when an answer about it may be given again; undefined for never (`handler.ts`). */
  readonly keptUntil: number | undefined;
};

export type TargetDeps = {
  readonly pool: DatabasePool;
  readonly lookups: Lookups;
  readonly publicBaseUrl: string;
  /** Read at the root where the parameter `catalog` names none; null for none. */
  readonly fdsnCatalogue: string | null;
  readonly now: () => Date;
};

export type TargetCall = {
  readonly params: FdsnParams;
  readonly reader: Reader;
  readonly facts: CatalogueFacts | null;
  readonly url: string;
};

/** The parameters that choose a catalogue and a version. */
export type TargetQuery = { readonly catalog: string | null; readonly asOf: string | null };

export const NO_CHOICE: TargetQuery = { catalog: null, asOf: null };

const SERVICE = "/fdsnws/event/1";
/** Younger versions may not be visible yet. */
const SETTLED_MS = 60_000;

/**
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED for a guest at a private or unknown catalogue, VALIDATION_ERROR when
 * nothing names a catalogue, or two things a version
 */
export async function facadeTarget(
  deps: TargetDeps,
  { params, reader, facts, url }: TargetCall,
  query: TargetQuery,
): Promise<FacadeTarget> {
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
    service: publicBaseUrl + base + SERVICE,
    address: `${publicBaseUrl}${base.replace(/\/(?:versions|at)\/[^/]*$/, "")}`,
    tag: facadeTag(version, name),
    isPublic: isPublicVersion(version),
    isVersioned,
    keptUntil: known === null ? undefined : keptUntil,
  };
}

/** Guests are asked who they are before they learn which catalogues there are. */
function notThere(reader: Reader): Refusal {
  if (reader.kind === "guest") return new Refusal("UNAUTHENTICATED");
  return new Refusal("NOT_FOUND", "Catalogue not found");
}

/** Base address of the service that a request has reached. */
export function serviceOf(
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
export type WantedEvents = Pick<FacadeFilters, "eventIds" | "deleted"> & {
  /** Whether earlier versions have told, of which readers may not all read the same. */
  readonly isOfHistory: boolean;
  /** Where the ids lead to removed events alone, which are not wanted: the one that went last; else null. */
  readonly removed: string | null;
};

/** Finds the events that are meant by any id that they have or had, in the versions that the caller may read. */
export async function wantedEvents(
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
export async function requireNotRemoved(
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

export type FindDeps = {
  readonly reads: EventReads;
  readonly exportPool: Pool;
  readonly threads: ExportThreads;
};

export type FoundEvents = {
  /** Their number; null where it is large and not asked for. */
  readonly count: number | null;
  readonly write: (facade: FacadeFormat, answer: Omit<FacadeAnswer, "count">) => Content;
};

/** Few events are a text, many are written while they are sent. */
export type Content = { readonly text: string } | { readonly open: () => AnswerPieces };

/** Which numbers an answer tells: none, that of its events, or that of all that match as well. */
export type Counting = "none" | "answer" | "all";

/** More events are streamed, in the turn of exports. */
const SMALL = 1_000;
/** Of bulletins: their answer is written within 20 ms. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Finds the events of a selection: few are read at once, many when the answer is written.
 * @throws Refusal NOT_FOUND when the catalogue was deleted meanwhile; RateLimited
 */
export async function findEvents(
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
export function countAll(
  { search }: Pick<EventReads, "search">,
  version: ResolvedVersion,
  query: FacadeFilters & Pick<FdsnQuery, "offset">,
): Promise<number> {
  const cost = { price: priceOfSelected(version, query, 0), events: 0 };
  return search(cost, (pool) => countSelected(pool, version, query));
}

/** What a selection that nothing can fulfil finds. */
export const NO_EVENTS: FoundEvents = fewEvents(Buffer.alloc(0), 0);

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
export function within(
  count: number,
  { offset, limit }: Pick<FdsnQuery, "offset" | "limit">,
): number {
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
export function facadeAnswer(
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
export function headOf({ tag, version: shown, isPublic, isVersioned, keptUntil }: FacadeTarget) {
  return { headers: { etag: tag }, shown, isPublic, isVersioned, keptUntil };
}

/**
 * Which members there are also depends on the caller, and on catalogues that are published or deleted
 * without a version of this one; so it does which earlier versions tell of events: such an answer has no tag, and no
 * shared cache keeps it.
 */
export const HEAD_FOR_CALLER = { isPublic: false, isVersioned: false } as const;
