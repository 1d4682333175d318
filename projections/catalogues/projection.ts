import { createHash } from "node:crypto";
import { sql } from "slonik";
import { unknownCase } from "#contracts/cases.ts";
import {
  type CatalogueEvent,
  type CatalogueEventData,
  CHUNK_EVENT,
  catalogueEvents,
  FRAME_EVENT,
} from "#contracts/events/catalogues.ts";
import { type AgencyEvent, agencyEvents } from "#contracts/events/imports.ts";
import { catalogueStream, PROJECTIONS } from "#contracts/events/log.ts";
import { type RegionEvent, regionEvents } from "#contracts/events/regions.ts";
import { areaOfGeometry, boxOfArea, countVertices } from "#contracts/geometry/shape.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import { LIVE_SCHEMA, type Projection, type Transaction } from "../engine/projection.ts";
import { endImport, insertImport } from "./import-rows.ts";
import { keepLongitudeBox } from "./longitude-box.ts";
import { applyChunks, applyFrames, giveUp, KEYED_TABLES, requireUndone } from "./revision-rows.ts";
import {
  applyToCatalogue,
  clearCatalogueParked,
  decisionsMade,
  decisionsWithdrawn,
  deleteRowsOf,
  forgetTouched,
  markCatalogueParked,
  removeMember,
  setMember,
} from "./rows.ts";

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

const PREFIX = catalogueStream("");
const UUID_LENGTH = 36;

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

/** For tables of any schema. */
const KEEP = sql.identifier([LIVE_SCHEMA, "keep_event_blocks"]);

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
