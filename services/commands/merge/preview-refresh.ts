import type { RefreshPreview } from "#contracts/http/merges/merge-refresh.ts";
import type { MergeDecision } from "#contracts/merge/merge-decision.ts";
import type { Asker } from "#infra/kernel/asker.ts";
import { readDecisions } from "#projections/queries/merges/decision-queries.ts";
import { merged } from "#services/domain/catalogue/decisions.ts";
import { loadCatalogue } from "../catalogues/catalogue-decision.ts";
import type { CommandContext } from "../context.ts";
import type { Merger } from "./merger.ts";
import type { RefreshRequest } from "./refresh/open-refresh.ts";
import { requireDecidable } from "./require-decidable.ts";

export type PreviewOfRefresh = Pick<RefreshRequest, "catalogueId" | "config" | "reader"> & {
  /** Further ones, which are tried. */
  readonly decisions: readonly MergeDecision[];
};

/**
 * What a refresh would change.
 * @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, FORBIDDEN, CONFLICT, MERGE_ERROR
 */
export async function previewRefreshQuery(
  {
    context,
    merger,
  }: {
    readonly context: Pick<CommandContext, "pool" | "log" | "catalogueStates">;
    readonly merger: Merger;
  },
  { decisions, ...request }: PreviewOfRefresh,
  asker: Asker,
): Promise<RefreshPreview> {
  if (decisions.length > 0) {
    const { catalogueId, reader } = request;
    const { pool } = context;
    const { sources } = merged((await loadCatalogue(context, catalogueId)).state);
    const known = await readDecisions(pool, catalogueId);
    const holding = known.map(({ id, type, events }) => ({ id, type, events }));
    await requireDecidable(pool, { sources, reader }, decisions, [...decisions, ...holding]);
  }
  return merger.previewRefresh({ ...request, tried: decisions }, asker);
}
