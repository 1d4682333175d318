import { Refusal } from "#contracts/errors.ts";
import type { MergedCatalogue } from "#contracts/http/merges/merged-catalogue.ts";
import { followState } from "#projections/queries/merges/merge-follows.ts";
import { type MergeRow, readMerge } from "#projections/queries/merges/read-merge.ts";
import type { Reader } from "#projections/queries/rights/reader-rights.ts";
import { shownConfig, shownSources } from "#projections/queries/rights/shown-sources.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";
import { shownDecisions } from "./shown-decisions.ts";

export const getMergeHandler: MakeHandler<"getMerge", "pool"> =
  ({ pool }) =>
  async ({ params, reader, isGuest }) => {
    const merge = await mergeOf(pool, params.id, reader);
    const decisions = await shownDecisions(pool, merge);
    const isFollowing = merge.config.follow === true;
    return {
      body: {
        ...shown(merge),
        ...(isFollowing && { follow: await followState(pool, merge.id) }),
        // Who decided is for signed-in callers.
        decisions: isGuest ? decisions.map((one) => ({ ...one, actor: null })) : decisions,
      },
    };
  };

/** @throws Refusal NOT_FOUND */
export async function mergeOf(
  pool: HandlerDeps["pool"],
  catalogueId: string,
  reader: Reader,
): Promise<MergeRow> {
  const merge = await readMerge(pool, catalogueId, reader);
  if (merge === null) throw new Refusal("NOT_FOUND", "This catalogue is not a merged one");
  return merge;
}

function shown({
  config,
  sources,
  latest,
  hidden,
}: MergeRow): Pick<MergedCatalogue, "config" | "sources" | "behind"> {
  const named = shownSources(sources, hidden);
  const labels = named.map(({ source }) => source);
  const now = new Map(latest.map(({ id, version }) => [id, version]));
  const versions = named.map(({ id, version }) => ({
    catalogue_id: id,
    version,
    latest: (id === null ? undefined : now.get(id)) ?? null,
  }));
  return {
    config: hidden === null ? config : shownConfig(config, labels),
    sources: versions,
    behind: versions.some(({ version, latest: last }) => last !== null && last > version),
  };
}
