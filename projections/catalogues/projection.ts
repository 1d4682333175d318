/**
 * What events of catalogues, agencies and regions make of the read model, but for what a revision writes
 * (revision-rows.ts). One file: each event's case, and the rows that it changes.
 */

import { createHash } from "node:crypto";
import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { unknownCase } from "#contracts/cases.ts";
import { agencySlug } from "#contracts/events/agencies.ts";
import {
  type CatalogueEvent,
  type CatalogueEventData,
  CHUNK_EVENT,
  catalogueEvents,
  FRAME_EVENT,
  type ImportFailure,
} from "#contracts/events/catalogues.ts";
import {
  type AgencyEvent,
  agencyEvents,
  type ImportTally,
  type ImportWindow,
} from "#contracts/events/imports.ts";
import { catalogueStream, PROJECTIONS } from "#contracts/events/log.ts";
import { type RegionEvent, regionEvents } from "#contracts/events/regions.ts";
import { areaOfGeometry, boxOfArea, countVertices } from "#contracts/geometry/shape.ts";
import type { CatalogueStatus } from "#contracts/http/catalogues.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import { LIVE_SCHEMA, type Projection, type Transaction } from "../engine/projection.ts";
import {
  applyChunks,
  applyFrames,
  giveUp,
  KEYED_TABLES,
  keepLongitudeBox,
  requireUndone,
} from "./revision-rows.ts";

/** Applies one event to its region's row. */
async function applyToRegion(
  transaction: Transaction,
  { type, data }: RegionEvent,
  { recordedAt: at, metadata: { actor } }: Pick<RecordedEvent, "recordedAt" | "metadata">,
): Promise<void> {
  const { regionId } = data;
  switch (type) {
    case "RegionCreated":
    case "RegionChanged": {
      const { name, note, geometry } = data.settings;
      const text = JSON.stringify(geometry);
      // The same geometry has the same one, also after a restore.
      const revision = createHash("sha256").update(text).digest("hex").slice(0, REVISION_DIGITS);
      const area = areaOfGeometry(geometry);
      const { west, south, east, north } = boxOfArea(area);
      await transaction.run(sql.unsafe`
        insert into regions (id, name, note, geometry, revision, bbox, vertices,
          created_at, created_by, updated_at, updated_by)
        values (${regionId}, ${name}, ${note}, ${text}, ${revision},
          ${sql.array([west, south, east, north], "float8")}, ${countVertices(area)},
          ${at}, ${actor}, ${at}, ${actor})
        on conflict (id) do update set name = excluded.name, note = excluded.note,
          geometry = excluded.geometry, revision = excluded.revision, bbox = excluded.bbox,
          vertices = excluded.vertices, updated_at = excluded.updated_at,
          updated_by = excluded.updated_by`);
      return;
    }
    case "RegionDeleted":
      await transaction.run(sql.unsafe`delete from regions where id = ${regionId}`);
      return;
    default:
      return unknownCase(type);
  }
}

const REVISION_DIGITS = 16;

/** Fewer rows are scanned in a moment, whatever the planner assumes. */
const LEAST_CHANGES = 10_000;

/**
 * Runs ANALYZE when a revision changes more than a tenth of its catalogue. It takes 0.3 to 0.6 s from
 * 500,000 to 3,000,000 events.
 */
async function refreshStatistics(transaction: Transaction, events: readonly RecordedEvent[]) {
  if (events.some((event) => changesMuch(event, () => true))) {
    await transaction.run(sql.unsafe`analyze seismic_events, merge_members`);
  }
  if (events.some((event) => changesMuch(event, ({ frames = 0 }) => frames > 0))) {
    await transaction.run(sql.unsafe`analyze bulletins, bulletin_magnitudes`);
  }
}

function changesMuch(
  recorded: RecordedEvent,
  isConcerned: (commit: CatalogueEventData<"RevisionCommitted">) => boolean,
): boolean {
  if (recorded.type !== ("RevisionCommitted" satisfies CatalogueEvent["type"])) return false;
  const data = fromRecorded(recorded).data as CatalogueEventData<"RevisionCommitted">;
  if (!isConcerned(data)) return false;
  const changes = data.added + data.updated + data.removed;
  return changes >= LEAST_CHANGES && changes > data.eventCount / 10;
}

const [ACTIVE, PROCESSING, ERROR] = [
  "active",
  "processing",
  "error",
] as const satisfies readonly CatalogueStatus[];

const UUID_LENGTH = 36;

/** A merge makes the first one of its catalogue. */
const FIRST_REVISION = 1;

/** In every copy of the read model a catalogue has the same key, which no other one ever gets. */
const KEYS = sql.identifier(["coordination", "catalogue_keys"]);

const ROWS_OF_CATALOGUE = [
  "imports",
  "shares",
  "schedules",
  "catalogue_members",
  "merge_decisions",
  "merge_decided_events",
  "merge_touched",
];

/** For tables of any schema. */
const KEEP = sql.identifier([LIVE_SCHEMA, "keep_event_blocks"]);

const FOUND = sql.fragment`total_fetched, new_events, updated_events, skipped_events,
  withdrawn_events, withheld, unmatched, errors, elements`;

const PREFIX = catalogueStream("");

/**
 * Catalogues, their members, versions, merge decisions, imports, shares, schedules, seismic events and bulletins, and
 * the agencies and regions of imports: one projection, so that they agree in every snapshot.
 */
export const cataloguesProjection: Projection = {
  name: PROJECTIONS.catalogues,
  tables: [
    { name: "catalogues", key: ["key"] },
    { name: "catalogue_versions", key: ["catalogue_key", "version"] },
    { name: "imports", key: ["id"] },
    { name: "agencies", key: ["id"] },
    { name: "regions", key: ["id"] },
    { name: "shares", key: ["id"] },
    { name: "schedules", key: ["id"] },
    { name: "merge_decisions", key: ["catalogue_id", "id"] },
    { name: "merge_decided_events", key: ["catalogue_id", "event_id", "decision_id"] },
    { name: "merge_touched", key: ["catalogue_id", "event_id"] },
    { name: "catalogue_members", key: ["catalogue_id", "member_id"] },
    { name: "restricted_remains", key: ["catalogue_id"] },
    ...KEYED_TABLES,
  ],
  types: [
    ...Object.keys(catalogueEvents),
    ...Object.keys(agencyEvents),
    ...Object.keys(regionEvents),
    CHUNK_EVENT,
    FRAME_EVENT,
  ],
  guardsLog: true,
  subject: (event) => (event.stream.startsWith(PREFIX) ? catalogueIdOf(event) : event.stream),
  apply,
  refreshStatistics,
  markParked: ofCatalogues(markCatalogueParked),
  clearParked: ofCatalogues(clearCatalogueParked),
};

type Mark = (transaction: Transaction, subject: string) => Promise<void>;

/** An agency or a region, whose subject is its stream, has no status that tells of its events. */
function ofCatalogues(mark: Mark): Mark {
  return async (transaction, subject) => {
    if (subject.length === UUID_LENGTH) await mark(transaction, subject);
  };
}

/** The catalogue of an event, whose id is part of the stream's name for both kinds of streams. */
function catalogueIdOf(event: RecordedEvent): string {
  return event.stream.slice(PREFIX.length, PREFIX.length + UUID_LENGTH);
}

async function apply(transaction: Transaction, events: readonly RecordedEvent[]): Promise<void> {
  let start = 0;
  while (start < events.length) {
    const end = endOfRun(events, start);
    const run = events.slice(start, end);
    const [first] = run;
    if (first?.type === CHUNK_EVENT) await applyChunks(transaction, catalogueIdOf(first), run);
    else if (first?.type === FRAME_EVENT) await applyFrames(transaction, catalogueIdOf(first), run);
    else if (first && first.type in agencyEvents)
      await applyToAgency(transaction, fromRecorded(first) as AgencyEvent);
    else if (first && first.type in regionEvents)
      await applyToRegion(transaction, fromRecorded(first) as RegionEvent, first);
    else if (first) await applyDecision(transaction, first);
    start = end;
  }
}

/** Consecutive chunks or frames of one revision are applied together, by a single COPY. */
function endOfRun(events: readonly RecordedEvent[], start: number): number {
  const first = events[start];
  let end = start + 1;
  if (first?.type !== CHUNK_EVENT && first?.type !== FRAME_EVENT) return end;
  while (events[end]?.stream === first.stream) end += 1;
  return end;
}

/** The catalogue's own row comes last: it has the key by which rows of the other tables are found. */
async function applyDecision(transaction: Transaction, recorded: RecordedEvent): Promise<void> {
  // The subscription returns no other types.
  const event = fromRecorded(recorded) as CatalogueEvent;
  const at = recorded.recordedAt;
  switch (event.type) {
    case "ImportStarted":
      return insertImport(transaction, event.data, at);
    case "ImportCompleted":
    case "ImportFailed":
      return endImport(transaction, event, at);
    case "CatalogueShared":
    case "ShareEnded":
      return applyToShares(transaction, event, recorded);
    case "ScheduleMade":
    case "ScheduleChanged":
    case "ScheduleEnded":
      return applyToSchedules(transaction, event, recorded);
    case "MergeDecisionsMade":
      return decisionsMade(transaction, event.data, recorded);
    case "MergeDecisionsWithdrawn":
      return decisionsWithdrawn(transaction, event.data);
    case "MemberSet":
      return setMember(transaction, event.data);
    case "MemberRemoved":
      return removeMember(transaction, event.data);
    case "RevisionOpened":
      await requireUndone(transaction, event.data, recorded);
      break;
    case "RevisionCommitted":
      await addVersion(transaction, event.data, recorded);
      break;
    case "MergeRefreshed":
      await forgetTouched(transaction, event.data);
      break;
    case "RevisionAbandoned":
      await giveUp(transaction, event.data);
      break;
    case "CatalogueDeleted":
      await deleteRowsOf(transaction, event.data.catalogueId);
      break;
    case "CatalogueCreated":
    case "CatalogueRenamed":
    case "VisibilityChanged":
    case "EditingChanged":
    case "PartsChanged":
    case "CatalogueMerged":
    case "MetadataChanged":
      break;
    default:
      return unknownCase(event);
  }
  await applyToCatalogue(transaction, event, at);
  if (event.type === "CatalogueMerged" || event.type === "MergeRefreshed") {
    await keepMaker(transaction, event.data, recorded);
  }
  if (event.type === "RevisionCommitted") await keepLongitudeBox(transaction, event.data);
}

/** Whoever asks first that a merge is refreshed by itself is its maker until somebody ends that. */
async function keepMaker(
  transaction: Transaction,
  { catalogueId, config }: CatalogueEventData<"CatalogueMerged" | "MergeRefreshed">,
  { metadata: { actor } }: Pick<RecordedEvent, "metadata">,
): Promise<void> {
  const maker = config.follow === true ? actor : null;
  await transaction.run(sql.unsafe`
    update catalogues
    set merge_maker = case when ${maker}::text is not null then coalesce(merge_maker, ${maker}) end
    where id = ${catalogueId} and (merge_maker is not null or ${maker}::text is not null)`);
}

type EventOf<T extends CatalogueEvent["type"]> = Extract<CatalogueEvent, { type: T }>;

/** Rows of the table shares: one per share that has not been ended. */
async function applyToShares(
  { run }: Transaction,
  { type, data }: EventOf<"CatalogueShared" | "ShareEnded">,
  { recordedAt: at, metadata: { actor } }: RecordedEvent,
): Promise<void> {
  if (type === "ShareEnded") {
    await run(sql.unsafe`delete from shares where id = ${data.shareId}`);
    return;
  }
  const { catalogueId, shareId, label, secretHash, expiresAt } = data;
  await run(sql.unsafe`
    insert into shares (id, catalogue_id, label, secret_hash, created_at, expires_at, made_by)
    values (${shareId}, ${catalogueId}, ${label}, decode(${secretHash}, 'hex'), ${at}, ${expiresAt},
      ${actor})`);
}

/**
 * Rows of the table schedules: one per schedule that has not been ended; times are by the clock of the process that
 * made it, which runs it too.
 */
async function applyToSchedules(
  { run }: Transaction,
  { type, data }: EventOf<"ScheduleMade" | "ScheduleChanged" | "ScheduleEnded">,
  { metadata: { at } }: RecordedEvent,
): Promise<void> {
  const { catalogueId, scheduleId } = data;
  if (type === "ScheduleEnded") {
    await run(sql.unsafe`delete from schedules where id = ${scheduleId}`);
    return;
  }
  const { agency, everyMinutes, paused, filters } = data.settings;
  const region = filters.region ?? null;
  const settings = JSON.stringify(data.settings);
  await run(
    type === "ScheduleMade"
      ? sql.unsafe`
        insert into schedules (id, catalogue_id, maker, agency, every_minutes, paused, region, settings,
          created_at, updated_at)
        values (${scheduleId}, ${catalogueId}, ${data.maker}, ${agency}, ${everyMinutes}, ${paused},
          ${region}, ${settings}, ${at}, ${at})`
      : sql.unsafe`
        update schedules set agency = ${agency}, every_minutes = ${everyMinutes}, paused = ${paused},
          region = ${region}, settings = ${settings}, updated_at = ${at}
        where id = ${scheduleId}`,
  );
}

/**
 * A row of the table catalogue_versions for a committed revision, of which all rows of events are there: what it has
 * changed is counted into the table event_blocks.
 */
async function addVersion(
  { run }: Transaction,
  committed: CatalogueEventData<"RevisionCommitted">,
  { recordedAt, metadata }: RecordedEvent,
): Promise<void> {
  const { catalogueId, revision, cause, added, updated, removed } = committed;
  const { eventCount, contentHash } = committed;
  await run(sql.unsafe`
    insert into catalogue_versions
      (catalogue_key, version, created_at, cause, actor,
       added, updated, removed, event_count, content_hash)
    select key, ${revision}, ${recordedAt}, ${cause}, ${metadata.actor},
      ${added}, ${updated}, ${removed}, ${eventCount}, ${contentHash}
    from catalogues where id = ${catalogueId}`);
  await run(sql.unsafe`
    select ${KEEP}(key, ${revision}) from catalogues where id = ${catalogueId}`);
}

/** Applies one event to its agency's row. */
async function applyToAgency(transaction: Transaction, { type, data }: AgencyEvent): Promise<void> {
  const { agencyId } = data;
  switch (type) {
    case "AgencyAdded":
    case "AgencyChanged": {
      const { name, url, dialect, enabled, push } = data.settings;
      const { maxPerRequest, requestsAtOnce } = data.settings;
      await transaction.run(sql.unsafe`
        insert into agencies
          (id, name, url, dialect, enabled, max_per_request, requests_at_once, push)
        values (${agencyId}, ${name}, ${url}, ${dialect}, ${enabled}, ${maxPerRequest},
          ${requestsAtOnce}, ${push})
        on conflict (id) do update set name = excluded.name, url = excluded.url,
          dialect = excluded.dialect, enabled = excluded.enabled,
          max_per_request = excluded.max_per_request,
          requests_at_once = excluded.requests_at_once, push = excluded.push`);
      return;
    }
    case "AgencyRemoved":
      await transaction.run(sql.unsafe`delete from agencies where id = ${agencyId}`);
      return;
    default:
      return unknownCase(type);
  }
}

/** Rows of the table imports: one per run. A deleted catalogue has no history. */
async function insertImport(
  transaction: Transaction,
  { importId, catalogueId, revision, window, ...run }: CatalogueEventData<"ImportStarted">,
  at: string,
): Promise<void> {
  const agencyId = run.agencyId ?? agencySlug(run.agency);
  await transaction.run(sql.unsafe`
    insert into imports (id, catalogue_id, schedule_id, revision, agency_id, window_start, window_end,
      start_time)
    values (${importId}, ${catalogueId}, ${run.scheduleId ?? null}, ${revision}, ${agencyId},
      ${window.start}, ${window.end}, ${run.begunAt ?? at})`);
}

async function endImport(
  transaction: Transaction,
  { type, data }: Extract<CatalogueEvent, { type: "ImportCompleted" | "ImportFailed" }>,
  at: string,
): Promise<void> {
  const { importId, tally } = data;
  const found = foundBy(tally, type === "ImportFailed" ? data.failure : null);
  const ended = await transaction.run(sql.unsafe`
    update imports set end_time = ${at}, (${FOUND}) = (${found}) where id = ${importId}`);
  if (ended !== 1) throw new Error(`no row of import ${importId}`);
}

/** The values of `FOUND` of a run; the reason why it failed is the last of its errors, which are null for none. */
function foundBy(tally: ImportTally, failure: ImportFailure | null): FragmentSqlToken {
  const { totalFetched, newEvents, updatedEvents, skippedEvents } = tally;
  const { withdrawnEvents = null, withheld = null, unmatched, unmatchedCount, elements } = tally;
  const reason = failure && {
    message: failure.message,
    ...(failure.code && { code: failure.code }),
  };
  const errors = reason === null ? tally.errors : [...tally.errors, reason];
  const matchless = unmatched && { count: unmatchedCount, rows: unmatched };
  return sql.fragment`${totalFetched}, ${newEvents}, ${updatedEvents}, ${skippedEvents},
    ${withdrawnEvents}, ${withheld}, ${matchless ? JSON.stringify(matchless) : null}::json,
    ${errors.length === 0 ? null : JSON.stringify(errors)}::json,
    ${elements === undefined ? null : JSON.stringify(elements)}::json`;
}

/** A run of a schedule of which the log does not tell. */
export type QuietRun = {
  readonly runId: string;
  readonly scheduleId: string;
  readonly catalogueId: string;
  readonly window: ImportWindow;
  readonly begunAt: string;
  readonly endedAt: string;
  readonly tally: ImportTally;
  /** Null where it did not fail. */
  readonly failure: ImportFailure | null;
};

/** Runs that are kept of each schedule. */
const KEPT = 1_000;

/** Keeps a run for the history, and none but the newest of its schedule. */
export async function keepQuietRun(pool: CommonQueryMethods, run: QuietRun): Promise<void> {
  const { runId, scheduleId, catalogueId, window, begunAt, endedAt, tally, failure } = run;
  await pool.query(sql.unsafe`
    insert into operations.schedule_runs (id, schedule_id, catalogue_id, window_start, window_end,
      start_time, end_time, ${FOUND})
    values (${runId}::uuid, ${scheduleId}::uuid, ${catalogueId}::uuid, ${window.start}, ${window.end},
      ${begunAt}::timestamptz, ${endedAt}::timestamptz, ${foundBy(tally, failure)})
    on conflict (id) do nothing`);
  await pool.query(sql.unsafe`
    delete from operations.schedule_runs where id in (
      select id from operations.schedule_runs where schedule_id = ${scheduleId}::uuid
      order by start_time desc, id desc offset ${KEPT})`);
}

/**
 * Rows that decisions of catalogues change: catalogues, their members, and what is decided of
 * merges.
 */

/** They change nothing of the catalogue itself. */
type AsideEvent = Extract<
  CatalogueEvent,
  {
    type:
      | `Import${string}`
      | `${string}Share${string}`
      | `Schedule${string}`
      | `Member${string}`
      | `MergeDecisions${string}`;
  }
>;

type CatalogueChange = Exclude<CatalogueEvent, AsideEvent>;

/** Updates a catalogue's row in the table catalogues; `at` is the time of recording. */
async function applyToCatalogue(transaction: Transaction, event: CatalogueChange, at: string) {
  const { catalogueId } = event.data;
  if (event.type === "CatalogueCreated") return insertCatalogue(transaction, event.data, at);
  if (event.type === "RevisionCommitted") return commitRevision(transaction, event.data, at);
  if (event.type === "CatalogueDeleted") {
    await transaction.run(sql.unsafe`delete from catalogues where id = ${catalogueId}`);
    return;
  }
  const updated = await transaction.run(
    sql.unsafe`update catalogues set ${columnsOf(event, at)} where id = ${catalogueId}`,
  );
  if (updated !== 1) throw new Error(`no row of catalogue ${catalogueId}`);
}

type ColumnChange = Exclude<
  CatalogueChange,
  { type: "CatalogueCreated" | "RevisionCommitted" | "CatalogueDeleted" }
>;

function columnsOf(event: ColumnChange, at: string): FragmentSqlToken {
  switch (event.type) {
    case "CatalogueRenamed":
      return sql.fragment`name = ${event.data.name}, updated_at = ${at}`;
    case "VisibilityChanged": {
      const { isPublic, publicFrom, isRestricted = false } = event.data;
      return sql.fragment`
        is_public = ${isPublic}, public_from = ${publicFrom}, is_restricted = ${isRestricted},
        updated_at = ${at}`;
    }
    case "EditingChanged":
      return sql.fragment`editing = ${event.data.editing}, updated_at = ${at}`;
    case "PartsChanged":
      return sql.fragment`parts = ${event.data.parts}, updated_at = ${at}`;
    case "MetadataChanged": {
      const { metadata } = event.data;
      return sql.fragment`
        metadata = ${metadata && JSON.stringify(metadata)}, updated_at = ${at}`;
    }
    case "CatalogueMerged": {
      const { config, sources, duplicateGroups = null, rules = null } = event.data;
      return sql.fragment`
        merge_config = ${JSON.stringify(config)}, source_catalogues = ${JSON.stringify(sources)},
        merge_revision = ${FIRST_REVISION}, merge_duplicate_groups = ${duplicateGroups},
        merge_rules = ${rules}`;
    }
    case "MergeRefreshed": {
      const { config, sources, revision, duplicateGroups, rules = null } = event.data;
      return sql.fragment`
        merge_config = ${JSON.stringify(config)}, source_catalogues = ${JSON.stringify(sources)},
        merge_revision = ${revision}, merge_duplicate_groups = ${duplicateGroups},
        merge_rules = ${rules}, updated_at = ${at}`;
    }
    case "RevisionOpened": {
      const { revision, worker } = event.data;
      return sql.fragment`
        open_revision = ${revision}, open_worker = ${worker}, open_chunks = 0,
        status = case when version = 0 then ${PROCESSING} else status end`;
    }
    case "RevisionAbandoned":
      return sql.fragment`
        open_revision = null, open_worker = null, open_chunks = 0,
        status = case when version = 0 then ${ERROR} else status end`;
    default:
      return unknownCase(event);
  }
}

/** Marks a catalogue whose read model has stopped at a parked event. */
async function markCatalogueParked(transaction: Transaction, catalogueId: string) {
  await transaction.run(
    sql.unsafe`update catalogues set status = ${ERROR} where id = ${catalogueId}`,
  );
}

/**
 * Restores the status that the mark has replaced. Without a version and without an open revision,
 * the first revision was abandoned.
 */
async function clearCatalogueParked(transaction: Transaction, catalogueId: string) {
  await transaction.run(sql.unsafe`
    update catalogues set status = case
      when version > 0 then ${ACTIVE} when open_revision is not null then ${PROCESSING}
      else ${ERROR} end
    where id = ${catalogueId}`);
}

async function insertCatalogue(
  transaction: Transaction,
  created: CatalogueEventData<"CatalogueCreated">,
  at: string,
): Promise<void> {
  const { catalogueId, name, isPublic, createdBy } = created;
  const { isRestricted = false, editing = "all" } = created;
  const ofCatalogue = sql.fragment`select key from ${KEYS} where id = ${catalogueId}`;
  await transaction.run(sql.unsafe`
    with given as (
      insert into ${KEYS} (id) select ${catalogueId} where not exists (${ofCatalogue})
      on conflict (id) do update set id = excluded.id returning key
    )
    insert into catalogues
      (key, id, name, is_public, public_from, is_restricted, editing, created_by, created_at,
       updated_at, status, version, event_count)
    select coalesce((select key from given), (${ofCatalogue})), ${catalogueId}, ${name}, ${isPublic}, ${isPublic ? 1 : null},
      ${isRestricted}, ${editing}, ${createdBy}, ${at}, ${at}, ${PROCESSING}, 0, 0`);
  const owner = { catalogueId, memberId: createdBy, kind: "user", right: "own" } as const;
  await setMember(transaction, owner);
}

async function commitRevision(
  transaction: Transaction,
  {
    catalogueId,
    revision,
    chunks,
    frames = 0,
    eventCount,
    bounds,
  }: CatalogueEventData<"RevisionCommitted">,
  at: string,
): Promise<void> {
  const committed = await transaction.run(sql.unsafe`
    update catalogues set
      version = ${revision}, event_count = ${eventCount}, status = ${ACTIVE}, updated_at = ${at},
      min_latitude = ${bounds.min_latitude}, max_latitude = ${bounds.max_latitude},
      min_longitude = ${bounds.min_longitude}, max_longitude = ${bounds.max_longitude},
      min_magnitude = ${bounds.min_magnitude}, max_magnitude = ${bounds.max_magnitude},
      start_time = ${bounds.start_time}, end_time = ${bounds.end_time},
      open_revision = null, open_worker = null, open_chunks = 0
    where id = ${catalogueId} and open_revision = ${revision} and open_chunks = ${chunks + frames}`);
  if (committed !== 1) {
    throw new Error(
      `revision ${revision} of ${catalogueId} is committed with other chunks or frames than applied`,
    );
  }
}

/** Rows of the table catalogue_members: a new member, or the new right of one. */
async function setMember(
  transaction: Transaction,
  { catalogueId, memberId, kind, right }: CatalogueEventData<"MemberSet">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    insert into catalogue_members (catalogue_id, member_id, kind, member_right)
    values (${catalogueId}, ${memberId}, ${kind}, ${right})
    on conflict (catalogue_id, member_id) do update set member_right = excluded.member_right`);
}

async function removeMember(
  transaction: Transaction,
  { catalogueId, memberId }: CatalogueEventData<"MemberRemoved">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from catalogue_members where catalogue_id = ${catalogueId} and member_id = ${memberId}`);
}

/** Removes what other tables have of a deleted catalogue, and remembers it where it was restricted. */
async function deleteRowsOf({ run }: Transaction, catalogueId: string): Promise<void> {
  await run(sql.unsafe`
    delete from catalogue_versions v using catalogues c
    where c.id = ${catalogueId} and v.catalogue_key = c.key`);
  for (const table of ROWS_OF_CATALOGUE) {
    await run(
      sql.unsafe`delete from ${sql.identifier([table])} where catalogue_id = ${catalogueId}`,
    );
  }
  await run(sql.unsafe`
    insert into restricted_remains (catalogue_id)
    select id from catalogues where id = ${catalogueId} and is_restricted`);
}

/** Rows of the table merge_decisions: one per decision that has not been withdrawn. */
async function decisionsMade(
  transaction: Transaction,
  { catalogueId, decisions }: CatalogueEventData<"MergeDecisionsMade">,
  { metadata: { actor, at } }: Pick<RecordedEvent, "metadata">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    insert into merge_decisions (catalogue_id, id, type, events, note, actor, at)
    select ${catalogueId}, made.id, made.type, made.events, made.note, ${actor}, ${at}
    from json_to_recordset(${JSON.stringify(decisions)}::json)
      as made(id uuid, type text, events json, note text)`);
  await transaction.run(sql.unsafe`
    insert into merge_decided_events (catalogue_id, event_id, decision_id)
    select distinct ${catalogueId}::uuid, (event ->> 'event_id')::uuid, made.id
    from json_to_recordset(${JSON.stringify(decisions)}::json) as made(id uuid, events json)
    cross join lateral json_array_elements(made.events) event`);
  await countChange(transaction, catalogueId);
  const events = new Set(decisions.flatMap((made) => made.events.map(({ event_id: id }) => id)));
  await touch(transaction, catalogueId, sql.fragment`unnest(${sql.array([...events], "uuid")})`);
}

async function decisionsWithdrawn(
  transaction: Transaction,
  { catalogueId, ids }: CatalogueEventData<"MergeDecisionsWithdrawn">,
): Promise<void> {
  const withdrawn = sql.fragment`
    catalogue_id = ${catalogueId} and id = any(${sql.array([...ids], "uuid")})`;
  await countChange(transaction, catalogueId);
  const events = sql.fragment`(
    select distinct (event ->> 'event_id')::uuid
    from merge_decisions cross join lateral json_array_elements(events) event
    where ${withdrawn})`;
  await touch(transaction, catalogueId, events);
  await transaction.run(sql.unsafe`delete from merge_decisions where ${withdrawn}`);
  await transaction.run(sql.unsafe`
    delete from merge_decided_events where decision_id = any(${sql.array([...ids], "uuid")})`);
}

/** @param events what is selected from, each of its rows the id of an event */
async function touch(transaction: Transaction, catalogueId: string, events: FragmentSqlToken) {
  await transaction.run(sql.unsafe`
    insert into merge_touched (catalogue_id, event_id, decided)
    select c.id, touched.event_id, c.merge_decided
    from catalogues c cross join ${events} touched(event_id) where c.id = ${catalogueId}
    on conflict (catalogue_id, event_id) do update set decided = excluded.decided`);
}

/** What a refresh knew of is in the merge. */
async function forgetTouched(
  transaction: Transaction,
  { catalogueId, decided }: CatalogueEventData<"MergeRefreshed">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from merge_touched where catalogue_id = ${catalogueId} and decided <= ${decided}`);
}

/** By their number is seen whether all decisions of the log are in the rows. */
async function countChange(transaction: Transaction, catalogueId: string): Promise<void> {
  await transaction.run(sql.unsafe`
    update catalogues set merge_decided = merge_decided + 1 where id = ${catalogueId}`);
}
