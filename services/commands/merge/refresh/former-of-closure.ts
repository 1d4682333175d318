import type { ClientBase } from "pg";
import {
  eventsWithMembers,
  type FormerMember,
  type FormerRow,
  formerRows,
} from "#projections/queries/merges/former-events.ts";
import type { MergeBase } from "#projections/queries/merges/merge-base.ts";

/** The former events whose members are in a closure, as the last refresh left them. */
export function createFormerOfClosure(client: ClientBase, { key, revision }: MergeBase) {
  /** Rows by their ids; null for those that were not there. */
  const rows = new Map<string, FormerRow | null>();

  async function read(ids: readonly string[]): Promise<void> {
    for (const id of ids) rows.set(id, null);
    for await (const some of formerRows(client, { key, version: revision }, ids)) {
      for (const row of some) if (row.isPresent) rows.set(row.id, row);
    }
  }

  return {
    all: (): FormerRow[] => [...rows.values()].filter((row) => row !== null),
    /**
     * All members of the former events that have one of some members, of those that were not known yet.
     * @param isInside whether a member is in the closure, or gone
     */
    async membersWith(
      members: readonly string[],
      isInside: (id: string) => boolean,
    ): Promise<readonly FormerMember[]> {
      const ids = await eventsWithMembers(client, { key }, members);
      const unknown = ids.filter((id) => !rows.has(id));
      if (unknown.length === 0) return [];
      await read(unknown);
      return unknown.flatMap((id) => {
        const all = rows.get(id)?.members ?? [];
        if (all.some(({ event_id: member }) => isInside(member))) return all;
        // An event that had the member once has others now.
        if (rows.get(id)) rows.delete(id);
        return [];
      });
    },
  };
}
