import { sql } from "slonik";
import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

type Merging = CatalogueEventData<"CatalogueMerged"> | CatalogueEventData<"MergeRefreshed">;

/** Whoever asks first that a merge is refreshed by itself is its maker until somebody ends that. */
export async function keepMaker(
  transaction: Transaction,
  { catalogueId, config }: Merging,
  { metadata: { actor } }: Pick<RecordedEvent, "metadata">,
): Promise<void> {
  const maker = config.follow === true ? actor : null;
  await transaction.run(sql.unsafe`
    update catalogues
    set merge_maker = case when ${maker}::text is not null then coalesce(merge_maker, ${maker}) end
    where id = ${catalogueId} and (merge_maker is not null or ${maker}::text is not null)`);
}
