import { Refusal } from "#contracts/errors.ts";
import type { MergedCatalogue } from "#contracts/http/merges/merged-catalogue.ts";
import type { ShownDecision } from "#contracts/merge/merge-decision.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { followState, type MergeRow, readMerge } from "#projections/read/merges/merge.ts";
import { type Reader, shownConfig, shownSources } from "#projections/read/rights.ts";
import { JsonList } from "../../http/answer-body.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";

export const getMergeHandler: MakeHandler<"getMerge", "pool" | "decisionWork"> =
  (deps) =>
  async ({ params, reader, isGuest, asker }) => {
    const merge = await mergeOf(deps.pool, params.id, reader);
    const decisions = await decisionsOf(deps, merge, { isGuest, asker });
    const isFollowing = merge.config.follow === true;
    return {
      body: {
        ...shown(merge),
        ...(isFollowing && { follow: await followState(deps.pool, merge.id) }),
        decisions,
      },
    };
  };

/** The decisions of a merge, as JSON: there may be 100,000. */
export async function decisionsOf(
  { decisionWork }: Pick<HandlerDeps, "decisionWork">,
  merge: MergeRow,
  { isGuest, asker }: { readonly isGuest: boolean; readonly asker: Asker },
): Promise<JsonList<ShownDecision>> {
  const pieces = await decisionWork.written(merge, { isGuest }, asker);
  return new JsonList(
    pieces.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
}

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
