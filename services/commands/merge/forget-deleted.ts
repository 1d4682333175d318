import { forgetMerge, leftMerges } from "#projections/read/merges/merge.ts";
import { loadCatalogue } from "../catalogues/catalogue-decision.ts";
import type { CommandContext } from "../context.ts";

/**
 * Clears away what is kept of merges that were deleted. The log says which those are: a read model that is being
 * rebuilt has none.
 */
export async function forgetDeleted(
  context: Pick<CommandContext, "pool" | "log" | "catalogueStates">,
): Promise<void> {
  for (const catalogueId of await leftMerges(context.pool)) {
    const { state } = await loadCatalogue(context, catalogueId);
    if (state.status === "deleted") await forgetMerge(context.pool, catalogueId);
  }
}
