import { isDeepStrictEqual } from "node:util";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { Reader } from "#projections/read/rights.ts";
import { GROUPING_RULES } from "#services/domain/merges/grouping/group-events.ts";
import type { Precondition } from "../catalogues/catalogue-decision.ts";
import { editCatalogue } from "../catalogues/edit-catalogue.ts";
import { type CatalogueTarget, totalsAfter } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Merger } from "./merger.ts";
import { mergedSource } from "./plan/merge-plan.ts";
import type { RefreshBegin, RefreshEnd } from "./refresh/stream-refreshed.ts";

export type RefreshMerge = {
  readonly catalogueId: string;
  /** Absent for the settings that the merge has. */
  readonly config?: MergeConfig | undefined;
  readonly reader: Reader;
  readonly precondition?: Precondition;
};

export type RefreshedMerge = {
  readonly version: number;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
};

/**
 * Makes a merged catalogue what a merge of the latest versions of its sources would be, with the decisions that hold,
 * by a new version; without one where it is so already. What was changed by hand is as the merge has it then.
 * @throws QueueFull; Refusal NOT_FOUND (also of a catalogue that is no merge), FORBIDDEN (a source may not be read),
 * CONFLICT (another change is in progress, or a source was deleted), PRECONDITION_FAILED, MERGE_ERROR
 */
export async function refreshMergeCommand(
  { context, merger }: { readonly context: CommandContext; readonly merger: Merger },
  command: Command,
  { catalogueId, config, reader, precondition = null }: RefreshMerge,
  asker: Asker,
): Promise<RefreshedMerge> {
  const edited = await editCatalogue(
    context,
    command,
    catalogueId,
    precondition,
    { cause: "merge" },
    (target, write) => {
      const request = { catalogueId, config, reader, bounds: target.bounds };
      return merger.refresh(request, asker, async ({ chunks, end, ...begin }) => {
        const version = await write({
          chunks,
          totals: async () => totals(context, target, await end()),
          alongside: async (revision) => recorded(begin, revision, await end()),
        });
        const { added, updated, removed } = await end();
        return { version, added, updated, removed };
      });
    },
  );
  if (edited.outcome === "planned") return edited.result;
  const { version, added, updated, removed } = edited;
  return { version, added, updated, removed };
}

function totals(
  context: CommandContext,
  target: CatalogueTarget,
  { isWhole, ...changes }: RefreshEnd,
) {
  return isWhole ? changes : totalsAfter(context, target, changes);
}

/** Nothing where the merge is known to be as it is. */
function recorded(
  { base, sources, config, duplicateGroups }: RefreshBegin,
  revision: number,
  { added, updated, removed }: RefreshEnd,
): CatalogueEvent[] {
  const { id: catalogueId, decided } = base;
  const isSame =
    added + updated + removed === 0 &&
    base.revision === revision &&
    !base.isTouched &&
    base.rules === GROUPING_RULES &&
    isDeepStrictEqual(base.config, config) &&
    sources.every(({ version }, place) => version === base.sources[place]?.version);
  if (isSame) return [];
  const refresh = { config, sources: sources.map(mergedSource), duplicateGroups, decided };
  const data = { catalogueId, revision, ...refresh, rules: GROUPING_RULES };
  return [{ type: "MergeRefreshed", data }];
}
