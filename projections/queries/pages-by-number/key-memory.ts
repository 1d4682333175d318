import { createRecent } from "#infra/kernel/recent.ts";
import type { EventKey } from "../events/event-cursor.ts";
import type { EventSelection } from "../events/selection.ts";
import type { KeyWalk } from "./key-walk.ts";

/** Runs a part of a long work in the requester's turn; rejects when the requester has left. */
export type InTurn = (work: () => Promise<void>) => Promise<void>;

/** Finds keys; fewer at the end of the selection. */
export type WalkKeys = (part: KeyWalk) => Promise<readonly EventKey[]>;

export type KeyLimits = {
  /** Events from one key to the next. */
  readonly stride: number;
  /** Keys found per part of a walk; other requests have their turns in between. */
  readonly atOnce: number;
  /** Keys kept for all selections together; the least recently used selections are evicted whole. */
  readonly max: number;
};

type SelectionKeys = { readonly keys: EventKey[]; walking: Promise<void> | null };

/** One key per `stride` events of each selection, from its start as far as it has been walked. */
export function createKeyMemory(walk: WalkKeys, { stride, atOnce, max }: KeyLimits) {
  const memory = createRecent<SelectionKeys>(max);
  const use = (name: string): SelectionKeys =>
    memory.keep(name, memory.get(name) ?? { keys: [], walking: null });

  async function extend(
    name: string,
    entry: SelectionKeys,
    selection: EventSelection,
    count: number,
  ) {
    const after = entry.keys.at(-1) ?? null;
    const keys = await walk({ selection, after, stride, count });
    entry.keys.push(...keys);
    // A selection without keys takes room too; the last one is kept, however many it has.
    if (memory.get(name) === entry) memory.keep(name, entry, Math.min(entry.keys.length + 1, max));
  }

  return {
    /** The number of keys kept under a name. */
    known: (name: string) => memory.get(name)?.keys.length ?? 0,
    /**
     * Returns at least `wanted` keys of a selection, unless it ends before. Walks part by part to those that
     * are not kept yet.
     */
    async walkAlong(
      name: string,
      selection: EventSelection,
      wanted: () => number,
      inTurn: InTurn,
    ): Promise<readonly EventKey[]> {
      const entry = use(name);
      const lacking = (): number => wanted() - entry.keys.length;
      while (lacking() > 0) {
        const before = entry.keys.length;
        await inTurn(async () => {
          const count = Math.min(atOnce, lacking());
          if (count <= 0) return;
          // Concurrent requests wait for the part that is being walked.
          entry.walking ??= extend(name, entry, selection, count).finally(() => {
            entry.walking = null;
          });
          await entry.walking;
        });
        if (entry.keys.length === before) break;
      }
      return entry.keys;
    },
  };
}
