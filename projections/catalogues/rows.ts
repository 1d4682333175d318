/**
 * Rows that decisions of catalogues change: catalogues, their members, and what is decided of
 * merges.
 */

import { type FragmentSqlToken, sql } from "slonik";
import { unknownCase } from "#contracts/cases.ts";
import type { CatalogueEvent, CatalogueEventData } from "#contracts/events/catalogues.ts";
import type { CatalogueStatus } from "#contracts/http/catalogues.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

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

const [ACTIVE, PROCESSING, ERROR] = [
  "active",
  "processing",
  "error",
] as const satisfies readonly CatalogueStatus[];

/** A merge makes the first one of its catalogue. */
const FIRST_REVISION = 1;

type CatalogueChange = Exclude<CatalogueEvent, AsideEvent>;

/** Updates a catalogue's row in the table catalogues; `at` is the time of recording. */
export async function applyToCatalogue(
  transaction: Transaction,
  event: CatalogueChange,
  at: string,
): Promise<void> {
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
export async function markCatalogueParked(transaction: Transaction, catalogueId: string) {
  await transaction.run(
    sql.unsafe`update catalogues set status = ${ERROR} where id = ${catalogueId}`,
  );
}

/**
 * Restores the status that the mark has replaced. Without a version and without an open revision,
 * the first revision was abandoned.
 */
export async function clearCatalogueParked(transaction: Transaction, catalogueId: string) {
  await transaction.run(sql.unsafe`
    update catalogues set status = case
      when version > 0 then ${ACTIVE} when open_revision is not null then ${PROCESSING}
      else ${ERROR} end
    where id = ${catalogueId}`);
}

/** In every copy of the read model a catalogue has the same key, which no other one ever gets. */
const KEYS = sql.identifier(["coordination", "catalogue_keys"]);

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
export async function setMember(
  transaction: Transaction,
  { catalogueId, memberId, kind, right }: CatalogueEventData<"MemberSet">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    insert into catalogue_members (catalogue_id, member_id, kind, member_right)
    values (${catalogueId}, ${memberId}, ${kind}, ${right})
    on conflict (catalogue_id, member_id) do update set member_right = excluded.member_right`);
}

export async function removeMember(
  transaction: Transaction,
  { catalogueId, memberId }: CatalogueEventData<"MemberRemoved">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from catalogue_members where catalogue_id = ${catalogueId} and member_id = ${memberId}`);
}

const ROWS_OF_CATALOGUE = [
  "imports",
  "shares",
  "schedules",
  "catalogue_members",
  "merge_decisions",
  "merge_decided_events",
  "merge_touched",
];

/** Removes what other tables have of a deleted catalogue, and remembers it where it was restricted. */
export async function deleteRowsOf({ run }: Transaction, catalogueId: string): Promise<void> {
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
export async function decisionsMade(
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

export async function decisionsWithdrawn(
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
export async function forgetTouched(
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
