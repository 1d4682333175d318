import { sql } from "slonik";
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
  await countChange(transaction, catalogueId);
}

export async function decisionsWithdrawn(
  transaction: Transaction,
  { catalogueId, ids }: CatalogueEventData<"MergeDecisionsWithdrawn">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from merge_decisions
    where catalogue_id = ${catalogueId} and id = any(${sql.array([...ids], "uuid")})`);
  await countChange(transaction, catalogueId);
}

export async function deleteDecisions(
  transaction: Transaction,
  catalogueId: string,
): Promise<void> {
  await transaction.run(sql.unsafe`
    delete from merge_decisions where catalogue_id = ${catalogueId}`);
}

/** By their number is seen whether all decisions of the log are in the rows. */
async function countChange(transaction: Transaction, catalogueId: string): Promise<void> {
  await transaction.run(sql.unsafe`
    update catalogues set merge_decided = merge_decided + 1 where id = ${catalogueId}`);
}
