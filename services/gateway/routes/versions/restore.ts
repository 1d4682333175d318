import { staying } from "#infra/kernel/asker.ts";
import { restoreVersionCommand } from "#services/commands/restore/restorer.ts";
import { eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

/** Runs to its end, whether the client waits or not. */
export const restoreVersionHandler: MakeHandler<
  "restoreVersion",
  "context" | "lookups" | "versionHistories" | "restorer" | "runner"
> =
  ({ runner, ...deps }) =>
  async ({ params, command, ifMatch, asker }) => {
    const wanted = {
      catalogueId: params.id,
      version: params.version,
      precondition: eventsUnchanged(ifMatch),
    };
    const { version } = await runner.attend(staying(asker), (run) =>
      restoreVersionCommand(deps, command, wanted, run),
    );
    return { body: { version }, headers: { etag: versionTag(version) } };
  };
