import { sql } from "slonik";
import type {
  CatalogueEvent,
  CatalogueEventData,
} from "#contracts/domain-events/catalogue-events.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { Transaction } from "../engine/projection.ts";

/** Fewer rows are scanned in a moment, whatever the planner assumes. */
const LEAST_CHANGES = 10_000;

/**
 * Runs ANALYZE when a revision changes more than a tenth of its catalogue. It takes 0.3 to 0.6 s from
 * 500,000 to 3,000,000 events.
 */
export async function refreshStatistics(
  transaction: Transaction,
  events: readonly RecordedEvent[],
): Promise<void> {
  if (events.some(changesMuch)) await transaction.run(sql.unsafe`analyze seismic_events`);
}

function changesMuch(recorded: RecordedEvent): boolean {
  if (recorded.type !== ("RevisionCommitted" satisfies CatalogueEvent["type"])) return false;
  const data = fromRecorded(recorded).data as CatalogueEventData<"RevisionCommitted">;
  const changes = data.added + data.updated + data.removed;
  return changes >= LEAST_CHANGES && changes > data.eventCount / 10;
}
