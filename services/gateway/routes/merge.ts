import { accessGiven } from "#contracts/http/catalogues.ts";
import type { MergeBody, MergeResult } from "#contracts/http/merges/merge.ts";
import { mergeCataloguesCommand } from "#services/commands/merge/merger.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { answerOrStart } from "../http/answer-or-start.ts";
import type { MakeHandler } from "./make-handler.ts";

/** The merge runs to its end, whether the client waits or not. */
export const mergeCataloguesHandler: MakeHandler<
  "mergeCatalogues",
  "context" | "merger" | "runner"
> =
  ({ context, merger, runner }) =>
  async (call) => {
    const { name, editing } = call.body;
    const wanted = {
      name: catalogueName(name),
      ...requestOf(call.body),
      access: accessGiven(call.body),
      ...(editing && { editing }),
      reader: call.reader,
    };
    return answerOrStart(runner, call, {
      job: { kind: "merge", unit: "events" },
      work: async (run): Promise<{ body: MergeResult }> => {
        const merged = await mergeCataloguesCommand({ context, merger }, call.command, wanted, run);
        return { body: { success: true, ...merged } };
      },
    });
  };

export const previewMergeHandler: MakeHandler<"previewMerge", "merger"> =
  ({ merger }) =>
  async ({ body, reader, asker }) => ({
    body: await merger.preview({ ...requestOf(body), reader }, asker),
  });

/** It ends when the client who waits for it leaves. */
export const evaluateMergeHandler: MakeHandler<"evaluateMerge", "merger" | "runner"> =
  ({ merger, runner }) =>
  async (call) => {
    const { truth, timeThresholds, distanceThresholds } = call.body;
    const request = { ...requestOf(call.body), reader: call.reader };
    const grid = { truth, timeThresholds, distanceThresholds };
    return answerOrStart(runner, call, {
      job: { kind: "evaluate", unit: "pairs of thresholds" },
      endsWithCaller: true,
      work: async (run) => ({ body: await merger.evaluate(request, grid, run) }),
    });
  };

function requestOf({
  sourceCatalogues: sources,
  config: { decisions = [], ...config },
}: Pick<MergeBody, "sourceCatalogues" | "config">) {
  return { sources, config, decisions };
}
