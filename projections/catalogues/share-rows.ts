import { sql } from "slonik";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

/** Rows of the table shares: one per share that has not been ended. */
export async function insertShare(
  transaction: Transaction,
  share: CatalogueEventData<"CatalogueShared">,
  { recordedAt: at, metadata: { actor } }: Pick<RecordedEvent, "recordedAt" | "metadata">,
): Promise<void> {
  const { catalogueId, shareId, label, secretHash, expiresAt } = share;
  await transaction.run(sql.unsafe`
    insert into shares (id, catalogue_id, label, secret_hash, created_at, expires_at, made_by)
    values (${shareId}, ${catalogueId}, ${label}, decode(${secretHash}, 'hex'), ${at}, ${expiresAt},
      ${actor})`);
}

export async function deleteShare(transaction: Transaction, shareId: string): Promise<void> {
  await transaction.run(sql.unsafe`delete from shares where id = ${shareId}`);
}

export async function deleteShares(transaction: Transaction, catalogueId: string): Promise<void> {
  await transaction.run(sql.unsafe`delete from shares where catalogue_id = ${catalogueId}`);
}
