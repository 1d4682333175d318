/** Versions of a catalogue as the log tells of them: history, record, hash, and the way back to one. */

import type { DatabasePool } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import { catalogueStream } from "#contracts/events/log.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import { type EventFilters, filtersInWords } from "#contracts/query/filters.ts";
import type { CitedVersion } from "#infra/formats/citation.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { createRecent, createShared } from "#infra/kernel/recent.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { type HashedContent, rememberedHash, rememberHash } from "#infra/stores/version-hashes.ts";
import { resolvePair } from "#projections/read/differences.ts";
import {
  GUEST,
  hiddenAmong,
  NO_CATALOGUE,
  type Reader,
  SERVICE,
} from "#projections/read/rights.ts";
import {
  type ResolvedVersion,
  resolveVersion,
  type VersionRows,
} from "#projections/read/versions.ts";
import {
  createVersionHistoryBuilder,
  type VersionEntry,
  type VersionHistory,
  type VersionHistoryBuilder,
  versionOf,
} from "#services/domain/versions.ts";
import { useChunks } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import { editCatalogue, type PlanEdit } from "../revision.ts";
import { type Precondition, pagesFrom } from "../streams.ts";
import type { GatewayThreads } from "../threads.ts";

/** Versions that are remembered of all catalogues together; about 600 bytes each. */
const MAX_VERSIONS = 50_000;

type Known = {
  readonly builder: VersionHistoryBuilder;
  /** The next event to read. */
  next: number;
  running: Promise<void> | null;
  /** The reading after the running one, which may have begun before what its callers look for. */
  waiting: Promise<void> | null;
};

export type VersionHistories = ReturnType<typeof createVersionHistories>;

/**
 * Reads decision streams of catalogues, each event once: what was read is remembered, of the catalogues that
 * were asked for last.
 */
export function createVersionHistories(
  log: Pick<EventLog, "read">,
  maxVersions: number = MAX_VERSIONS,
) {
  const known = createRecent<Known>(maxVersions);

  function lookUp(catalogueId: string): Known {
    const unread = {
      builder: createVersionHistoryBuilder(),
      next: 0,
      running: null,
      waiting: null,
    };
    return known.keep(catalogueId, known.get(catalogueId) ?? unread);
  }

  function refresh(catalogueId: string, entry: Known): Promise<void> {
    if (entry.running === null) {
      entry.running = readOn(log, catalogueStream(catalogueId), entry).finally(() => {
        entry.running = null;
      });
      return entry.running;
    }
    // Where the log did not answer it is not asked once more: a request has 10 s.
    entry.waiting ??= entry.running
      .finally(() => {
        entry.waiting = null;
      })
      .then(() => refresh(catalogueId, entry));
    return entry.waiting;
  }

  /** The last is kept, however many versions it has. */
  function weigh(catalogueId: string, entry: Known, history: VersionHistory | null): void {
    if (known.get(catalogueId) !== entry) return;
    if (history === null) known.drop(catalogueId);
    else known.keep(catalogueId, entry, Math.min(history.versions.length, maxVersions));
  }

  return {
    /**
     * The history of a catalogue's versions as the log has it when this is called; null where the log has no
     * such catalogue. Callers at the same time share one reading.
     */
    async read(catalogueId: string): Promise<VersionHistory | null> {
      const entry = lookUp(catalogueId);
      await refresh(catalogueId, entry);
      const history = entry.builder.history();
      weigh(catalogueId, entry, history);
      return history;
    },
  };
}

async function readOn(log: Pick<EventLog, "read">, stream: string, entry: Known): Promise<void> {
  for await (const page of pagesFrom(log, stream, entry.next)) {
    for (const recorded of page) {
      const event = fromRecorded(recorded) as CatalogueEvent;
      const { recordedAt, metadata } = recorded;
      entry.builder.take({ event, recordedAt, actor: metadata.actor });
      entry.next = recorded.revision + 1;
    }
  }
}

export type VersionRecordDeps = {
  readonly lookups: Lookups;
  readonly versionHistories: VersionHistories;
  readonly hashVersion: VersionHasher;
};

export type VersionRecordRequest = {
  readonly catalogueId: string;
  readonly version: number;
  readonly reader: Reader;
  readonly asker: Asker;
};

export type FoundVersion = Awaited<ReturnType<typeof readVersionRecord>>;

/**
 * The record of a version, with what the log tells of its catalogue. Of a deleted catalogue there is the
 * record of versions that the caller could read; its hash, if it was ever asked for.
 * @throws Refusal NOT_FOUND, UNAUTHENTICATED
 */
export async function readVersionRecord(deps: VersionRecordDeps, request: VersionRecordRequest) {
  const { catalogueId, version, reader } = request;
  const isGuest = reader.kind === "guest";
  const history = await readHistory(deps, catalogueId, reader);
  if (history === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  requireReadable(history, version, isGuest);
  const entry = versionOf(history, version);
  if (entry === undefined) throw new Refusal("NOT_FOUND", "There is no such version");
  const sources: VersionRecord["sources"] = [];
  const used = sourcesOf(entry);
  const ids = used.map(({ id }) => id);
  const hidden = await hiddenAmong(deps.lookups, ids, reader);
  for (const source of used) {
    const { id } = source;
    const sha256 = hidden.has(id)
      ? null
      : await hashOfSource(deps, { ...request, catalogueId: id, version: source.version });
    sources.push({ catalogue_id: hidden.has(id) ? null : id, version: source.version, sha256 });
  }
  const { committedAt, cause, actor, added, updated, removed, bounds, previous } = entry;
  const record: VersionRecord = {
    version,
    created_at: committedAt,
    cause,
    // For signed-in callers.
    actor: isGuest || reader.kind === "share" ? null : actor,
    added,
    updated,
    removed,
    event_count: entry.eventCount,
    bounds,
    sha256: await hashOf(deps, request, history, entry),
    content_hash: entry.contentHash,
    previous,
    sources,
    ...derivationOf(entry),
  };
  const named = ids.filter((id) => !hidden.has(id));
  /** Whether guests read this version, and no source is named that is hidden from them. */
  const isPublic =
    isPublicVersion(history, version) && (await hiddenAmong(deps.lookups, named, GUEST)).size === 0;
  return { history, entry, record, isPublic };
}

/** As of no catalogue, for one that is not there for the reader: by as many steps, so in the same time. */
async function readHistory(
  { lookups, versionHistories }: VersionRecordDeps,
  catalogueId: string,
  reader: Reader,
): Promise<VersionHistory | null> {
  const hidden = await hiddenAmong(lookups, [catalogueId], reader);
  return versionHistories.read(hidden.has(catalogueId) ? NO_CATALOGUE : catalogueId);
}

/** The versions that a merge or a declustering was made of. */
function sourcesOf({ sources, derivedFrom }: VersionEntry) {
  if (derivedFrom === null) return sources ?? [];
  return [{ id: derivedFrom.catalogueId, version: derivedFrom.version }];
}

function derivationOf({ derivedFrom }: VersionEntry): Pick<VersionRecord, "derivation"> {
  if (derivedFrom === null) return {};
  const { filters, role, method: all } = derivedFrom;
  const { method, ...parameters } = all;
  return { derivation: { method, parameters, filters, role } };
}

function isPublicVersion({ publicFrom }: VersionHistory, version: number): boolean {
  return publicFrom !== null && version >= publicFrom;
}

function requireReadable(history: VersionHistory, version: number, isGuest: boolean): void {
  if (!isGuest || isPublicVersion(history, version)) return;
  const { publicFrom, isDeleted } = history;
  if (publicFrom === null && !isDeleted) throw new Refusal("UNAUTHENTICATED");
  throw new Refusal("NOT_FOUND", "There is no such version");
}

/** Null of a source that the caller may not read, and of a deleted one that nobody has asked for before. */
async function hashOfSource(
  deps: VersionRecordDeps,
  request: VersionRecordRequest,
): Promise<string | null> {
  const history = await deps.versionHistories.read(request.catalogueId);
  const entry = history && versionOf(history, request.version);
  if (!entry) return null;
  const isShown = request.reader.kind !== "guest" || isPublicVersion(history, request.version);
  return isShown ? hashOf(deps, request, history, entry) : null;
}

async function hashOf(
  { lookups, hashVersion }: VersionRecordDeps,
  { catalogueId, version, asker }: VersionRecordRequest,
  { isDeleted }: VersionHistory,
  { contentHash }: VersionEntry,
): Promise<string | null> {
  const content = { catalogueId, version, contentHash };
  const known = await rememberedHash(lookups, content);
  if (known !== null || isDeleted) return known;
  const asOf = String(version);
  const rows = await resolveVersion(lookups, { catalogueId, asOf, reader: SERVICE });
  return hashVersion(content, rows, asker);
}

type Cited = Pick<FoundVersion, "history" | "entry"> & {
  readonly record: Pick<VersionRecord, "sha256" | "sources">;
  /** Of what is cited of the version; absent for all of it. */
  readonly filters?: EventFilters;
  /** Where they are not those of the bounds. */
  readonly longitudes?: CitedVersion["longitudes"];
};

export function citedVersion(
  publicBaseUrl: string,
  catalogueId: string,
  { history, entry, record, filters = {}, longitudes = null }: Cited,
): CitedVersion {
  const addressOf = (id: string) => `${publicBaseUrl}/api/catalogues/${id}`;
  const versionAt = (id: string, version: number) => `${addressOf(id)}/versions/${version}`;
  const { version, previous, committedAt, eventCount, bounds } = entry;
  return {
    catalogueId,
    version,
    address: versionAt(catalogueId, version),
    catalogueAddress: addressOf(catalogueId),
    name: history.name,
    committedAt,
    eventCount,
    bounds,
    longitudes,
    sha256: record.sha256,
    previous: previous === null ? null : versionAt(catalogueId, previous),
    sources: record.sources.flatMap(({ catalogue_id: id, version: used }) =>
      id === null ? [] : versionAt(id, used),
    ),
    metadata: history.metadata,
    filters: filtersInWords(filters),
  };
}

export type VersionHasher = ReturnType<typeof createVersionHasher>;

/** Computed ones are remembered in the database. */
const KEPT = 0;

/** A function that computes the SHA-256 (hex) of a version and remembers it; callers at the same time share one computation. */
export function createVersionHasher(
  { hashes }: Pick<GatewayThreads, "hashes">,
  pool: DatabasePool,
) {
  const shared = createShared<string>(KEPT);

  async function hash(
    content: HashedContent,
    { eventCount, ...version }: VersionRows & { readonly eventCount: number },
    asker: Asker,
  ): Promise<string> {
    const known = await rememberedHash(pool, content);
    if (known !== null) return known;
    const { count, sha256 } = await hashes.run("hashVersion", version, asker);
    // Deleted meanwhile.
    if (count !== eventCount) throw new Refusal("NOT_FOUND", "Catalogue not found");
    await rememberHash(pool, content, sha256);
    return sha256;
  }

  return (
    content: HashedContent,
    { key, version, eventCount }: Pick<ResolvedVersion, keyof VersionRows | "eventCount">,
    asker: Asker,
  ): Promise<string> => {
    const name = JSON.stringify([content.catalogueId, content.version, content.contentHash]);
    const rows = { key, version, eventCount };
    return shared(name, (signal) => hash(content, rows, { ...asker, signal }), asker.signal);
  };
}

export type RestoreDeps = {
  readonly context: CommandContext;
  readonly lookups: Lookups;
  readonly versionHistories: VersionHistories;
  readonly threads: Pick<GatewayThreads, "restores">;
};

export type RestoreVersion = {
  readonly catalogueId: string;
  readonly version: number;
  readonly precondition: Precondition;
};

/**
 * Makes a new version of a catalogue's events that is equal to an earlier one; none where the latest is
 * already. Events that were removed since come back under their ids.
 * @returns the number of the version that is equal to it
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function restoreVersionCommand(
  { context, lookups, versionHistories, threads }: RestoreDeps,
  command: Command,
  { catalogueId, version, precondition }: RestoreVersion,
  asker: Asker,
): Promise<{ version: number }> {
  const history = await versionHistories.read(catalogueId);
  const wanted = history && versionOf(history, version);
  if (!wanted) throw new Refusal("NOT_FOUND", "There is no such version");
  const { bounds } = wanted;
  const why = { cause: "restore", restores: version } as const;
  const plan: PlanEdit<number> = async (base, write) => {
    const request = { catalogueId, to: version, from: base.version, reader: SERVICE };
    const { pair } = await resolvePair(lookups, request);
    const changes = threads.restores.stream("streamRestored", { pair }, asker);
    return useChunks(changes, ({ chunks, end }) =>
      write({ chunks, totals: async () => ({ ...(await end()), bounds }) }),
    );
  };
  const edited = await editCatalogue({ context, command, catalogueId, precondition }, why, plan);
  return { version: edited.outcome === "planned" ? edited.result : edited.version };
}
