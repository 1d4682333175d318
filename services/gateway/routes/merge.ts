import type { MergeResult } from "#contracts/http/merge.ts";
import { mergeCataloguesCommand } from "#services/commands/merge/merge-catalogues.ts";
import { catalogueName } from "#services/domain/catalogue/catalogue-name.ts";
import type { Run } from "#services/jobs/job-runner.ts";
import { acceptedAnswer } from "../http/prefer.ts";
import type { MakeHandler } from "./make-handler.ts";

/** The merge runs to its end, whether the client waits or not. */
export const mergeCataloguesHandler: MakeHandler<
  "mergeCatalogues",
  "context" | "merger" | "runner"
> =
  ({ context, merger, runner }) =>
  async ({ body, command, actor, prefersAsync }) => {
    const { sourceCatalogues: sources, config } = body;
    const wanted = { name: catalogueName(body.name), sources, config };
    const work = async (run: Run): Promise<MergeResult> => {
      const merged = await mergeCataloguesCommand({ context, merger }, command, wanted, run);
      return { success: true, ...merged };
    };
    if (!prefersAsync) return { body: await runner.attend(work) };
    const job = { kind: "merge", owner: actor.userId, unit: "events" } as const;
    return acceptedAnswer(await runner.start(job, work));
  };

export const previewMergeHandler: MakeHandler<"previewMerge", "merger"> =
  ({ merger }) =>
  async ({ body: { sourceCatalogues: sources, config } }) => ({
    body: await merger.preview({ sources, config }),
  });
