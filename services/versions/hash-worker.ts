/** Entry point of the threads that hash versions: a million events must not block other requests. */
import { createHash } from "node:crypto";
import { canonicalLine } from "#infra/formats/canonical/canonical-event.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { openWatchedSession } from "#infra/postgres/session.ts";
import { workerTask } from "#infra/threads/task.ts";
import { toExportRow } from "#projections/queries/events/event-rows.ts";
import { rowsInOrderOfIds } from "#projections/queries/events/export-events.ts";
import type { VersionRows } from "#projections/queries/events/resolve-version.ts";

export type HashTask = {
  readonly databaseUrl: string;
  readonly version: VersionRows;
};

export type HashedVersion = { readonly sha256: string; readonly count: number };

/** The SHA-256 (hex) of a version's canonical form, and the number of its events. */
export const hashVersion = workerTask(
  async ({ databaseUrl, version }: HashTask): Promise<HashedVersion> => {
    const { client, close } = await openWatchedSession(databaseUrl, "hash");
    try {
      const hash = createHash("sha256");
      let count = 0;
      for await (const rows of copyRows(client, rowsInOrderOfIds(version))) {
        let text = "";
        for (const row of rows) text += canonicalLine(toExportRow(row));
        hash.update(text);
        count += rows.length;
      }
      return { sha256: hash.digest("hex"), count };
    } finally {
      await close();
    }
  },
);
