import { type FragmentSqlToken, sql } from "slonik";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

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
async function touch(
  transaction: Transaction,
  catalogueId: string,
  events: FragmentSqlToken,
): Promise<void> {
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

export async function deleteDecisions(
  transaction: Transaction,
  catalogueId: string,
): Promise<void> {
  for (const table of ["merge_decisions", "merge_decided_events", "merge_touched"]) {
    await transaction.run(sql.unsafe`
      delete from ${sql.identifier([table])} where catalogue_id = ${catalogueId}`);
  }
}

/** By their number is seen whether all decisions of the log are in the rows. */
async function countChange(transaction: Transaction, catalogueId: string): Promise<void> {
  await transaction.run(sql.unsafe`
    update catalogues set merge_decided = merge_decided + 1 where id = ${catalogueId}`);
}
