import type { RefreshPreview } from "#contracts/http/merges/merge-refresh.ts";
import { forgetFailures } from "#projections/queries/merges/merge-follows.ts";
import {
  type RefreshedMerge,
  refreshMergeCommand,
} from "#services/commands/merge/refresh-merge.ts";
import { answerOrStart } from "../../http/answer-or-start.ts";
import { eventsUnchanged } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

/** Runs to its end, whether the client waits or not. */
export const refreshMergeHandler: MakeHandler<"refreshMerge", "context" | "merger" | "runner"> =
  ({ context, merger, runner }) =>
  async (call) => {
    const { params, body, reader, ifMatch, command } = call;
    const wanted = {
      catalogueId: params.id,
      config: body.config,
      reader,
      precondition: eventsUnchanged(ifMatch),
    };
    return answerOrStart(runner, call, {
      job: { kind: "refresh", unit: "events" },
      work: async (run): Promise<{ body: RefreshedMerge }> => {
        const body = await refreshMergeCommand({ context, merger }, command, wanted, run);
        await forgetFailures(context.pool, params.id);
        return { body };
      },
    });
  };

export const previewRefreshHandler: MakeHandler<"previewRefresh", "merger" | "runner"> =
  ({ merger, runner }) =>
  async (call) => {
    const { params, body, reader } = call;
    const { config, decisions: tried = [] } = body;
    const wanted = { catalogueId: params.id, config, tried, reader };
    return answerOrStart(runner, call, {
      job: { kind: "preview", unit: "events" },
      endsWithCaller: true,
      work: async (run): Promise<{ body: RefreshPreview }> => ({
        body: await merger.previewRefresh(wanted, run),
      }),
    });
  };
