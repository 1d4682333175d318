import { catalogueStream } from "#contracts/names.ts";
import { existing, openRevision } from "#services/domain/catalogue/decide.ts";
import { catalogueModel } from "../catalogues/catalogue-decision.ts";
import type { Command, CommandContext } from "../context.ts";
import { loadState } from "../decide-on-stream.ts";

/**
 * Refuses at once what an import that is to run on after its request would be refused for. A retried
 * command may find its own earlier run there.
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
