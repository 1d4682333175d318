import type { MergeResult } from "#contracts/http/merge.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { mergeCataloguesCommand } from "#services/commands/merge/merge-catalogues.ts";
import type { Merger } from "#services/commands/merge/merger.ts";
import { catalogueName } from "#services/domain/catalogue/catalogue-name.ts";
import type { JobRunner, Run } from "#services/jobs/job-runner.ts";
import type { Handler } from "../http/handler.ts";
import { acceptedAnswer } from "../http/prefer.ts";

type MergeDeps = {
  readonly commands: CommandContext;
  readonly merger: Merger;
  readonly runner: Pick<JobRunner, "start" | "attend">;
};

/** The merge runs to its end, whether the client waits or not. */
export function mergeCataloguesHandler({
  commands: context,
  merger,
  runner,
}: MergeDeps): Handler<Operations["mergeCatalogues"]> {
  return async ({ body, command, actor, prefersAsync }) => {
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
}

export function previewMergeHandler({
  merger,
}: {
  merger: Merger;
}): Handler<Operations["previewMerge"]> {
  return async ({ body: { sourceCatalogues: sources, config } }) => ({
    body: await merger.preview({ sources, config }),
  });
}
