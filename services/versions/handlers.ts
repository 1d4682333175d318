import { z } from "zod";
import type { SolutionChanges } from "#contracts/bulletin/schema.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import {
  CITATION_FORMATS,
  DIFF_FORMATS,
  DIFF_LIMIT,
  type DiffFormat,
} from "#contracts/http/versions.ts";
import { type EventFilters, filterKey, filtersAmong } from "#contracts/query/filters.ts";
import { CITATION_WRITERS } from "#infra/formats/citation.ts";
import { CSV_HEADER, csvRecord } from "#infra/formats/delimited/csv.ts";
import { BULLETIN_SHA256, type ExportRow, FIELD } from "#infra/formats/format-writer.ts";
import { eventJson, featureOf } from "#infra/formats/json/writer.ts";
import { staying } from "#infra/kernel/fair-queue.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { smallestBoxAt } from "#projections/catalogues/revision-rows.ts";
import {
  type ChangeCounts,
  countChanges,
  type DiffSelection,
  priceOfChanges,
  readChanges,
  resolvePair,
  type VersionChange,
  type VersionPair,
} from "#projections/read/differences.ts";
import { fromCursorText, invalidCursor, toCursorText } from "#projections/read/lists.ts";
import { CursorFilters, filtersOfCursor, toCursorFilters } from "#projections/read/pages.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import type { EventReads } from "#projections/read/walk.ts";
import { type BulletinComparer, createBulletinComparer } from "../bulletins/work.ts";
import type { Call, Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { acceptedType, changesTag, contentTag, eventsUnchanged, versionTag } from "../headers.ts";
import { readsFor } from "../turns.ts";
import {
  citedVersion,
  type FoundVersion,
  readVersionRecord,
  restoreVersionCommand,
} from "./history.ts";
import { versionHeaders } from "./memento.ts";

export function handlersOfVersions(deps: HandlerDeps) {
  const { runner } = deps;
  return {
    getVersion: async ({ params, reader, isGuest, accept, asker }) => {
      const { id: catalogueId, version } = params;
      const facts = await readVersionRecord(deps, { catalogueId, version, reader, asker });
      const { history, record } = facts;
      // Who made it is for signed-in callers.
      const isPublic = isGuest && facts.isPublic;
      const { publicFrom, isDeleted } = history;
      const cited = citedVersion(deps.publicBaseUrl, catalogueId, facts);
      const headers = { ...versionHeaders(cited, isDeleted), vary: "Accept" };
      const body = { version: record };
      if (isDeleted) {
        const gone = { error: "The catalogue was deleted", code: "GONE" } as const;
        const citation = CITATION_WRITERS.text(cited);
        return { status: 410, body: { ...gone, ...body, citation }, headers };
      }
      // Whoever asks for HTML is a person, for whom the console has a page.
      const isShared = reader.kind === "share";
      if (!isShared && acceptedType(accept, ["application/json", "text/html"]) === "text/html") {
        const location = `/catalogues/${catalogueId}?asOf=${version}`;
        return {
          status: 303,
          body,
          headers: { ...headers, location },
          isPublic,
          isVersioned: true,
        };
      }
      const etag = isGuest ? changesTag(version, publicFrom ?? 0) : versionTag(version);
      return { body, headers: { ...headers, etag }, isPublic, isVersioned: true };
    },

    /** Also of a deleted catalogue: what was cited stays citable. */
    getCitation: async ({ params, query, reader, asker }) => {
      const { id: catalogueId, version } = params;
      const { format, ...filters } = query;
      const facts = await readVersionRecord(deps, { catalogueId, version, reader, asker });
      const isBoxed = format === "datacite";
      const longitudes = isBoxed ? await longitudesOf(deps.lookups, catalogueId, facts) : null;
      const cited = citedVersion(deps.publicBaseUrl, catalogueId, {
        ...facts,
        filters,
        longitudes,
      });
      const { isPublic, history } = facts;
      const { isDeleted } = history;
      const text = CITATION_WRITERS[format](cited);
      return {
        contentType: CITATION_FORMATS[format].contentType,
        headers: { ...versionHeaders(cited, isDeleted), etag: contentTag(text) },
        isPublic,
        isVersioned: !isDeleted,
        text,
      };
    },

    getDiff: getDiffHandler(deps),

    /** Runs to its end, whether the client waits or not. */
    restoreVersion: async ({ params, command, ifMatch, asker }) => {
      const wanted = {
        catalogueId: params.id,
        version: params.version,
        precondition: eventsUnchanged(ifMatch),
      };
      const { version } = await runner.attend(staying(asker), (run) =>
        restoreVersionCommand(deps, command, wanted, run),
      );
      return { body: { version }, headers: { etag: versionTag(version) } };
    },
  } satisfies Partial<Handlers>;
}

/** A box that is at most half around the earth is the smallest one: no gap in it is wider than that outside. */
const HALF_AROUND = 180;

/**
 * Of a version's smallest box, which may lie across the antimeridian; null where it is that of its bounds,
 * and of a deleted catalogue, whose events are gone.
 */
async function longitudesOf(
  lookups: Lookups,
  catalogueId: string,
  { history, entry }: Pick<FoundVersion, "history" | "entry">,
) {
  const { min_longitude: west, max_longitude: east } = entry.bounds;
  if (west === null || east === null || east - west <= HALF_AROUND || history.isDeleted)
    return null;
  const asOf = String(entry.version);
  const rows = await resolveVersion(lookups, { catalogueId, asOf, reader: SERVICE });
  return smallestBoxAt(lookups, rows);
}

const getDiffHandler: (deps: HandlerDeps) => Handlers["getDiff"] = ({
  pool,
  lookups,
  publicBaseUrl,
  threads,
  ...deps
}) => {
  const remembered = createRecent<ChangeCounts>(KEPT_COUNTS);

  async function countsOf({ search }: EventReads, selection: DiffSelection): Promise<ChangeCounts> {
    const { pair, filters } = selection;
    const key = JSON.stringify([pair.id, pair.from, pair.to, filterKey(filters)]);
    const cost = { price: priceOfChanges(selection), events: 0 };
    // Others may have counted them until it is the turn.
    const counts =
      remembered.get(key) ??
      (await search(cost, async (from) => remembered.get(key) ?? countChanges(from, selection)));
    return remembered.keep(key, counts);
  }

  return async (call) => {
    const { params, query, reader, asker } = call;
    const reads = readsFor(deps.reads, call);
    const cursor = cursorOf(call);
    const { format = "json" } = query;
    const inQuery = filtersAmong(query);
    const filters = cursor === null ? inQuery : filtersOfCursor(cursor, inQuery);
    const limit = query.limit ?? cursor?.limit ?? DIFF_LIMIT.default;
    const request = { catalogueId: params.id, to: params.version, reader };
    const from = cursor?.from ?? query.from;
    const { pair, isPublic } = await resolvePair(lookups, { ...request, from });
    const selection = { pair, filters };
    const after = cursor?.after ?? null;
    const cost = { price: priceOfChanges(selection), events: EVENTS_PER_CHANGE * limit };
    const { changes, more } = await reads.search(cost, (from) =>
      readChanges(from, selection, { after, limit }),
    );
    const last = more ? changes.at(-1)?.event[FIELD.id] : null;
    const nextCursor = last
      ? encode({ catalogueId: pair.id, from: pair.from, to: pair.to, filters, after: last, limit })
      : null;
    const told =
      format === "json"
        ? await withSolutions(
            pair,
            changes,
            createBulletinComparer({ pool, threads }, pair.id, asker),
          )
        : changes;
    const page: DiffPage = {
      ...pair,
      ...(await countsOf(reads, selection)),
      changes: told,
      nextCursor,
    };
    return {
      contentType: DIFF_FORMATS[format].contentType,
      headers: { etag: versionTag(pair.to), ...linkTo(publicBaseUrl, page, format) },
      isPublic,
      isVersioned: true,
      text: DIFF_WRITERS[format](page),
    };
  };
};

const DIFF_WRITERS: Readonly<Record<DiffFormat, (page: DiffPage) => string>> = {
  json: (page) => `{${headOf(page)},"changes":[\n${page.changes.map(changeJson).join(",\n")}\n]}\n`,
  geojson: (page) =>
    `{"type":"FeatureCollection",${headOf(page)},"features":[\n${page.changes
      .map(({ change, event }) => featureOf(event, "", `,"change":"${change}"`))
      .join(",\n")}\n]}\n`,
  csv: ({ changes }) =>
    `change,${CSV_HEADER}${changes.map(({ change, event }) => `${change},${csvRecord(event)}`).join("")}`,
};

/** Of the two sides of a change. */
const EVENTS_PER_CHANGE = 2;

const DiffCursor = z.strictObject({
  walk: z.literal("diff"),
  catalogueId: z.uuid(),
  from: z.int().nonnegative(),
  to: z.int().positive(),
  ...CursorFilters,
  /** The id of the event before. */
  after: z.uuid(),
  limit: z.int().min(1).max(DIFF_LIMIT.max),
});

/** Counts of differences, which never change. */
const KEPT_COUNTS = 1_000;

/** A page of the changes between two versions; the counts are of all pages. */
type DiffPage = ChangeCounts & {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly changes: readonly (VersionChange & Partial<SolutionChanges>)[];
  readonly nextCursor: string | null;
};

/** The members that JSON and GeoJSON have in common. */
function headOf({ from, to, added, updated, removed, nextCursor }: DiffPage): string {
  return JSON.stringify({ from, to, added, updated, removed, nextCursor }).slice(1, -1);
}

function changeJson({ change, event, before, ...solutions }: DiffPage["changes"][number]): string {
  const was = before === null ? "" : `,"before":${eventJson(before)}`;
  const changed = Object.entries(solutions).map(
    ([name, value]) => `,"${name}":${JSON.stringify(value)}`,
  );
  return `{"change":"${change}","event":${eventJson(event)}${was}${changed.join("")}}`;
}

type DiffCursor = z.output<typeof DiffCursor>;

/** Changes with the solutions in which an updated event's bulletin differs. */
async function withSolutions(
  { from, to }: VersionPair,
  changes: readonly VersionChange[],
  compare: BulletinComparer,
): Promise<DiffPage["changes"]> {
  const told: DiffPage["changes"][number][] = [];
  for (const change of changes) {
    const { event, before } = change;
    const side = (version: number, row: ExportRow) => ({
      version,
      sha256: row[BULLETIN_SHA256] ?? null,
    });
    const solutions =
      before === null
        ? {}
        : await compare(event[FIELD.id] ?? "", side(from, before), side(to, event));
    told.push({ ...change, ...solutions });
  }
  return told;
}

/** @throws Refusal INVALID_CURSOR when it is of another difference */
function cursorOf({ params, query }: Call<Operations["getDiff"]>): DiffCursor | null {
  if (query.cursor === undefined) return null;
  const cursor = fromCursorText(query.cursor, DiffCursor);
  const agrees =
    cursor.catalogueId === params.id &&
    cursor.to === params.version &&
    (query.from === undefined || query.from === cursor.from);
  if (!agrees) throw invalidCursor();
  return cursor;
}

function encode(
  cursor: Omit<DiffCursor, "walk" | "filters"> & { readonly filters: EventFilters },
): string {
  return toCursorText({ walk: "diff", ...cursor, ...toCursorFilters(cursor.filters) });
}

/** The address of the next page, for the forms that have no place for the cursor too. */
function linkTo(base: string, { id, to, nextCursor }: DiffPage, format: DiffFormat) {
  if (nextCursor === null) return {};
  const query = new URLSearchParams({ cursor: nextCursor, format });
  return { link: `<${base}/api/catalogues/${id}/versions/${to}/diff?${query}>; rel="next"` };
}
