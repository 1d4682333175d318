import type { Operations } from "#contracts/http/operations.ts";
import type { Merger } from "#services/commands/merge/merger.ts";
import type { Handler } from "../../http/handler.ts";

export function previewMergeHandler({
  merger,
}: {
  merger: Merger;
}): Handler<Operations["previewMerge"]> {
  return async ({ body: { sourceCatalogues: sources, config } }) => ({
    body: await merger.preview({ sources, config }),
  });
}
