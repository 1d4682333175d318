import { extendBounds } from "#contracts/domain-events/bounds.ts";
import { type Bounds, NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/log/chunks.ts";
import type { MergeBase } from "#projections/read/merges/refresh.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogues/catalogue.ts";
import type { Chunk } from "../../changes/chunks-of-thread.ts";
import type { Changes } from "../../changes/revision-changes.ts";
import type { MergeSource } from "../plan/merge-plan.ts";
import { openRefresh, type RefreshRequest } from "./open-refresh.ts";
import { type RefreshChange, refreshChanges } from "./refresh-changes.ts";
import { refreshScope } from "./refresh-scope.ts";

export type RefreshTask = RefreshRequest & {
  readonly databaseUrl: string;
  /** Of the latest version. */
  readonly bounds: Bounds;
};

/** Known before the first change. */
export type RefreshBegin = {
  readonly base: MergeBase;
  readonly sources: readonly MergeSource[];
  readonly config: MergeConfig;
  readonly duplicateGroups: number;
};

export type RefreshEnd = Changes & {
  /** Whether `bounds` are those of all events. */
  readonly isWhole: boolean;
};

/** The changes that make the latest version what a merge of the sources would be, as the chunks of a revision. */
export async function* refreshed({
  databaseUrl,
  bounds: before,
  ...request
}: RefreshTask): AsyncGenerator<{ readonly begin: RefreshBegin } | Chunk, RefreshEnd> {
  await using opened = await openRefresh(databaseUrl, request, true);
  const { client, beside, base, sources, config } = opened;
  const scope = await refreshScope(opened, request);
  const { isWhole, duplicateGroups } = scope;
  yield { begin: { base, sources, config, duplicateGroups } };
  const bounds = { ...NO_BOUNDS };
  const writer = createRefreshWriter(before, !isWhole);
  for await (const change of refreshChanges(client, beside, scope, (record) =>
    extendBounds(bounds, record),
  )) {
    const chunk = writer.write(change);
    if (chunk !== null) yield { chunk };
  }
  const chunk = writer.finish();
  if (chunk !== null) yield { chunk };
  return { ...writer.changes(), bounds, isWhole };
}

/** @param keepsPlaces whether it finds out which bounds may shrink */
function createRefreshWriter(before: Bounds, keepsPlaces: boolean) {
  const writer = createChunkWriter();
  const touched = new Set<BoundName>();
  const goneIds: string[] = [];

  function chunkOf(change: RefreshChange): EncodedChunk | null {
    switch (change.change) {
      case "added":
        return change.id === null
          ? writer.add(change.record, change.bulletin)
          : writer.restore(change.id, change.record, change.bulletin);
      case "updated":
        return writer.update(change.id, change.record, change.bulletin);
      case "removed":
        return writer.remove(change.id);
    }
  }

  return {
    write(change: RefreshChange): EncodedChunk | null {
      if (keepsPlaces && change.change !== "added") {
        goneIds.push(change.id);
        for (const name of touchedBounds(before, change.before)) touched.add(name);
      }
      return chunkOf(change);
    },
    finish: () => writer.finish(),
    changes: (): Omit<Changes, "bounds"> => ({
      ...writer.counts(),
      touched: [...touched],
      goneIds: touched.size > 0 ? goneIds : [],
    }),
  };
}
