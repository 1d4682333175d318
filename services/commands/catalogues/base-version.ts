import { Refusal } from "#contracts/errors.ts";
import { presentRevision } from "#projections/queries/edit-queries.ts";
import type { ExistingCatalogue } from "#services/domain/catalogue/state.ts";
import type { BaseVersion } from "../changes/changes.ts";
import type { CommandContext } from "../context.ts";
import { untilVisible } from "./catalogue-decision.ts";

/**
 * The read model at the log's latest version; waits where it is behind.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
export async function baseOf(
  context: CommandContext,
  { catalogueId, version }: ExistingCatalogue,
): Promise<BaseVersion> {
  const seen = await presentRevision(context.pool, catalogueId);
  if (seen?.version === version) return seen;
  await untilVisible(context, await context.log.head());
  const caughtUp = await presentRevision(context.pool, catalogueId);
  if (caughtUp === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  // It stands still at a parked event: an edit would be of events that are not so any more.
  if (caughtUp.version < version) {
    throw new Refusal("CONFLICT", "The catalogue is in error and cannot be changed until repaired");
  }
  return caughtUp;
}
