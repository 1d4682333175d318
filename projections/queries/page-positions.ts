import type { EventKey } from "./event-cursor.ts";
import type { EventSelection, PageStart } from "./event-pages.ts";
import type { KeyWalk } from "./key-walk.ts";
import type { VersionRows } from "./resolve-version.ts";

/** Runs a part of a long work in the requester's turn; rejects when the requester has left. */
export type InTurn = (work: () => Promise<void>) => Promise<void>;

/** A way to a page: along a selection, past a number of its events. */
export type Way = {
  readonly selection: EventSelection;
  readonly offset: number;
  /** Number of events in the selection. */
  readonly events: number;
};

/**
 * The keys of every thousandth event of an order, so that a page by number can be read from a key
 * nearby. Keys are found when pages are requested, and kept for later requests: versions never
 * change.
 */
export type PagePositions = {
  /**
   * Of several ways to a page, each along all of its events in one order or another, returns the one
   * with the shortest walk, and the key from which to read the page.
   */
  readonly nearest: (
    ways: readonly Way[],
    inTurn: InTurn,
  ) => Promise<{ readonly way: Way; readonly start: PageStart }>;
};

export type PositionReads = {
  /** Finds keys; fewer at the end of the selection. */
  readonly walk: (part: KeyWalk) => Promise<readonly EventKey[]>;
  /** Null when the version is gone. */
  readonly contentOf: (version: VersionRows) => Promise<string | null>;
};

export type PositionLimits = {
  /** Events from one position to the next. */
  readonly stride: number;
  /** Positions found per part of a walk; other requests have their turns in between. */
  readonly atOnce: number;
  /** Positions kept for all selections together; the least recently used selections are evicted whole. */
  readonly max: number;
};

/** Each part takes PostgreSQL 80 ms; in all 10 MB for catalogues with 50 million events together. */
const LIMITS: PositionLimits = { stride: 1_000, atOnce: 50, max: 50_000 };

type Kept = { readonly keys: EventKey[]; walking: Promise<void> | null };

export function createPagePositions(
  { walk, contentOf }: PositionReads,
  { stride, atOnce, max }: PositionLimits = LIMITS,
): PagePositions {
  /** In order of last use. */
  const kept = new Map<string, Kept>();
  let keptKeys = 0;

  function use(name: string): Kept {
    const used = kept.get(name) ?? { keys: [], walking: null };
    kept.delete(name);
    kept.set(name, used);
    makeRoom();
    return used;
  }

  /** A selection without keys takes room too. */
  function makeRoom(): void {
    for (const [name, { keys }] of kept) {
      if (keptKeys + kept.size <= max || kept.size === 1) return;
      keptKeys -= keys.length;
      kept.delete(name);
    }
  }

  async function extend(name: string, used: Kept, selection: EventSelection, places: number) {
    const after = used.keys.at(-1) ?? null;
    const count = Math.min(atOnce, places - used.keys.length);
    const keys = await walk({ selection, after, stride, count });
    used.keys.push(...keys);
    if (kept.get(name) !== used) return;
    keptKeys += keys.length;
    makeRoom();
  }

  /** Finds at least `places` positions of a selection, unless it ends before. */
  async function walkTo(name: string, selection: EventSelection, places: number, inTurn: InTurn) {
    const used = use(name);
    while (used.keys.length < places) {
      const known = used.keys.length;
      await inTurn(async () => {
        if (used.keys.length >= places) return;
        // Concurrent requests wait for the part that is being walked.
        used.walking ??= extend(name, used, selection, places).finally(() => {
          used.walking = null;
        });
        await used.walking;
      });
      if (used.keys.length === known) break;
    }
    return used.keys;
  }

  /** A way, the number of positions known along it, and the number of events left to walk. */
  function lookAt(way: Way, content: string) {
    const { selection, offset } = way;
    const { version, order, filters } = selection;
    const name = JSON.stringify([version.id, version.version, content, order, filters]);
    const known = kept.get(name)?.keys.length ?? 0;
    return { way, name, known, left: Math.max(offset - known * stride, offset % stride) };
  }

  return {
    async nearest(ways, inTurn) {
      const direct = ways.reduce((least, way) => (way.offset < least.offset ? way : least));
      const fromEnd = { way: direct, start: { offset: direct.offset } };
      if (direct.offset < stride) return fromEnd;
      const content = await contentOf(direct.selection.version);
      if (content === null) return fromEnd;
      const seen = ways.map((way) => lookAt(way, content));
      const { way, name, known } = seen.reduce((a, b) => (b.left < a.left ? b : a));
      const places = Math.floor(way.offset / stride);
      const elsewhere = seen.reduce((sum, other) => sum + other.known, -known);
      // From page to page only the needed positions are found. After a jump all are, since the next
      // request may be for any page.
      const all = Math.max(places, Math.floor(way.events / stride) - elsewhere);
      const wanted = places - known > atOnce ? all : places;
      const keys = await walkTo(name, way.selection, wanted, inTurn);
      const after = keys[places - 1];
      return after ? { way, start: { after, offset: way.offset % stride } } : fromEnd;
    },
  };
}
