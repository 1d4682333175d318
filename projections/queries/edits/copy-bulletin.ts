import type { ClientBase } from "pg";
import { sql } from "slonik";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { bulletinColumn } from "../events/bulletin-column.ts";
import { readCopiedBulletin } from "../events/copied-event.ts";
import { type ResolvedVersion, rowsOf } from "../events/resolve-version.ts";

/**
 * The bulletin of an event of a version, null without one.
 * @param client a connection of the caller
 * @throws CorruptBulletin
 */
export async function copyBulletin(
  client: ClientBase,
  version: Pick<ResolvedVersion, "key" | "version">,
  eventId: string,
): Promise<Bulletin | null> {
  let bulletin: Bulletin | null = null;
  const query = sql.fragment`
    select ${bulletinColumn()} from read_model.seismic_events
    where ${rowsOf(version)} and event_id = ${eventId}::uuid`;
  // Read to its end: the connection stays usable.
  for await (const rows of copyRows(client, query)) {
    for (const [text = null] of rows) bulletin = readCopiedBulletin(text);
  }
  return bulletin;
}
