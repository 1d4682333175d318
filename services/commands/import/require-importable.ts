import { catalogueStream } from "#contracts/names.ts";
import { existing, openRevision } from "#services/domain/catalogue/decide.ts";
import { catalogueModel } from "../catalogues/catalogue-decision.ts";
import type { Command, CommandContext } from "../context.ts";
import { loadState } from "../decide-on-stream.ts";

/**
 * Checks at once, for an import that outlasts its request, what would refuse it later. A retried
 * command may find its own earlier run.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
export async function requireImportable(
  { log, worker }: Pick<CommandContext, "log" | "worker">,
  { retried = false }: Command,
  catalogueId: string | null,
): Promise<void> {
  if (catalogueId === null) return;
  const { state } = await loadState(log, catalogueStream(catalogueId), catalogueModel);
  if (retried) existing(state);
  else openRevision(state, { cause: "import", worker });
}
