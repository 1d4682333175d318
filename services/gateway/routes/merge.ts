import { accessGiven } from "#contracts/http/catalogues.ts";
import type { MergeResult } from "#contracts/http/merge.ts";
import { mergeCataloguesCommand } from "#services/commands/merge/merger.ts";
import { catalogueName } from "#services/domain/catalogue/catalogue-name.ts";
import { answerOrStart } from "../http/answer-or-start.ts";
import type { MakeHandler } from "./make-handler.ts";

/** The merge runs to its end, whether the client waits or not. */
export const mergeCataloguesHandler: MakeHandler<
  "mergeCatalogues",
  "context" | "merger" | "runner"
> =
  ({ context, merger, runner }) =>
  async (call) => {
    const { sourceCatalogues: sources, config, name, editing } = call.body;
    const wanted = {
      name: catalogueName(name),
      sources,
      config,
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
  async ({ body: { sourceCatalogues: sources, config }, reader, asker }) => ({
    body: await merger.preview({ sources, config, reader }, asker),
  });
