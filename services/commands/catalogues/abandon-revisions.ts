import type { Presence } from "#infra/postgres/coordination.ts";
import { createImportProgressStore } from "#infra/stores/import-progress.ts";
import { openRevisions } from "#projections/read/edits.ts";
import { abandonRevision } from "#services/domain/catalogues/catalogue.ts";
import type { CommandContext } from "../context.ts";
import { decideOnCatalogue } from "./catalogue-decision.ts";

/**
 * Abandons the open revisions of dead processes, so that their catalogues can be changed again. A
 * disconnected process that is still alive can no longer commit, since its revision is not open any
 * more. An import ends as failed, with its stored counts.
 * @returns the number of abandoned revisions
 */
export async function abandonRevisionsOfTheDead(
  context: CommandContext,
  presence: Pick<Presence, "alive">,
): Promise<number> {
  const opened = await openRevisions(context.pool);
  if (opened.length === 0) return 0;
  const alive = await presence.alive(opened.map(({ worker }) => worker));
  const dead = opened.filter(({ worker, catalogueId }) => {
    const own = worker === context.worker;
    return own ? !context.revisionsInProgress.has(catalogueId) : !alive.has(worker);
  });
  const progress = createImportProgressStore(context.pool);
  let abandoned = 0;
  for (const { catalogueId, revision, worker } of dead) {
    const tally = await progress.find(catalogueId, revision);
    const command = { id: context.newId(), actor: "system" };
    const { events } = await decideOnCatalogue(context, command, catalogueId, (state) => {
      if (state.status !== "existing") return [];
      const { open } = state;
      if (open === null || open.revision !== revision || open.worker !== worker) return [];
      const reason = "its worker is gone";
      return abandonRevision(state, { revision, reason, ...(tally && { tally }) });
    });
    if (tally !== null) await progress.remove(catalogueId, revision);
    if (events.length > 0) abandoned += 1;
  }
  return abandoned;
}
