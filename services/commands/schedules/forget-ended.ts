import { forgetCatalogue, forgetScheduleState, leftStates } from "#projections/read/schedules.ts";
import { loadCatalogue } from "../catalogues/catalogue-decision.ts";
import type { CommandContext } from "../context.ts";

/**
 * Clears away what is kept of schedules that were ended, and of deleted catalogues. The log says which those are: a
 * read model that is being rebuilt has none.
 */
export async function forgetEnded(
  context: Pick<CommandContext, "pool" | "log" | "catalogueStates">,
): Promise<void> {
  for (const { scheduleId, catalogueId } of await leftStates(context.pool)) {
    const { state } = await loadCatalogue(context, catalogueId);
    if (state.status === "deleted") await forgetCatalogue(context.pool, catalogueId);
    else if (state.status === "existing" && !state.schedules.has(scheduleId)) {
      await forgetScheduleState(context.pool, scheduleId);
    }
  }
}
