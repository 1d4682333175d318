import { Refusal } from "#contracts/errors.ts";
import { presentRevision } from "#projections/queries/edit-queries.ts";
import type { ExistingCatalogue } from "#services/domain/catalogue/state.ts";
import type { BaseVersion } from "../changes/changes.ts";
import type { CommandContext } from "../context.ts";
import { untilVisible } from "./catalogue-decision.ts";

/**
 * The read model at the log's latest version; waits until it has caught up.
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
  // A parked event blocks the read model, so an edit would be based on outdated events.
  if (caughtUp.version < version) {
    throw new Refusal("CONFLICT", "The catalogue is in error and cannot be changed until repaired");
  }
  return caughtUp;
}
