import type { ClientBase } from "pg";
import { copyExtraMember } from "#projections/queries/edits/copy-extra-member.ts";
import { isOlder, LAST_UPDATE, lastUpdate } from "#services/domain/import/last-update.ts";
import type { BaseVersion } from "./revision-changes.ts";

/**
 * Until when events were told of by messages: in any version, as rows that an import wrote since do not say.
 * @returns the newest update of an event by its id here, canonical; null for none
 */
export async function newestUpdates(
  client: ClientBase,
  base: BaseVersion,
  events: readonly { readonly id: string }[],
): Promise<(id: string) => string | null> {
  const newest = new Map<string, string>();
  const ids = events.map(({ id }) => id);
  for await (const { id, value } of copyExtraMember(client, base, ids, LAST_UPDATE)) {
    const update = lastUpdate({ [LAST_UPDATE]: value });
    const known = newest.get(id);
    if (update !== null && (known === undefined || isOlder(known, update))) newest.set(id, update);
  }
  return (id) => newest.get(id) ?? null;
}
