import { sql } from "slonik";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { Transaction } from "../engine/projection.ts";
import { LIVE_SCHEMA } from "../engine/read-model-schema.ts";

/** For tables of any schema. */
const KEEP = sql.identifier([LIVE_SCHEMA, "keep_event_blocks"]);

/** Counts what a revision has changed into the table event_blocks, when all of its rows are there. */
export async function keepEventBlocks(
  transaction: Transaction,
  { catalogueId, revision }: CatalogueEventData<"RevisionCommitted">,
): Promise<void> {
  await transaction.run(sql.unsafe`
    select ${KEEP}(key, ${revision}) from catalogues where id = ${catalogueId}`);
}
