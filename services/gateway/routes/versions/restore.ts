import { restoreVersionCommand } from "#services/commands/restore/restore-version.ts";
import { eventsUnchanged, versionTag } from "../../http/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

/** Runs to its end, whether the client waits or not. */
export const restoreVersionHandler: MakeHandler<
  "restoreVersion",
  "context" | "lookups" | "versionHistories" | "restorer" | "runner"
> =
  ({ runner, ...deps }) =>
  async ({ params, command, ifMatch }) => {
    const wanted = {
      catalogueId: params.id,
      version: params.version,
      precondition: eventsUnchanged(ifMatch),
    };
    const { version } = await runner.attend(({ signal }) =>
      restoreVersionCommand(deps, command, wanted, signal),
    );
    return { body: { version }, headers: { etag: versionTag(version) } };
  };
