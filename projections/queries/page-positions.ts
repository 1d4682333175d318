import type { EventKey } from "./event-cursor.ts";
import type { EventSelection, PageStart } from "./event-pages.ts";
import type { KeyWalk } from "./key-walk.ts";
import type { VersionRows } from "./resolve-version.ts";

/** Does part of a long work when it is its asker's turn; rejects where that has left. */
export type InTurn = (work: () => Promise<void>) => Promise<void>;

/** A way to a page: along a selection, past so many of its events. */
export type Way = {
  readonly selection: EventSelection;
  readonly offset: number;
  /** How many the selection has. */
  readonly events: number;
};

/**
 * Where every thousandth event of an order lies, so that a page by number is read from near it. It is found
 * out when pages are asked for, and kept for those that are asked for later: versions never change.
 */
export type PagePositions = {
  /**
   * Of the ways to a page, which are along all of its events in one order or another, the one with the least
   * to walk past, and where on it the page is read from.
   */
  readonly nearest: (
    ways: readonly Way[],
    inTurn: InTurn,
  ) => Promise<{ readonly way: Way; readonly start: PageStart }>;
};

export type PositionReads = {
  /** Finds keys; fewer than asked for where the selection ends. */
  readonly walk: (part: KeyWalk) => Promise<readonly EventKey[]>;
  /** Null where the version is gone. */
  readonly contentOf: (version: VersionRows) => Promise<string | null>;
};

export type PositionLimits = {
  /** Events from one position to the next. */
  readonly stride: number;
  /** Positions found in one part of a walk: others have their turn between the parts. */
  readonly atOnce: number;
  /** Positions kept of all selections; of those used longest ago all are forgotten. */
  readonly max: number;
};

/** 80 ms at once in PostgreSQL; 10 MB for catalogues of 50 million events together. */
const LIMITS: PositionLimits = { stride: 1_000, atOnce: 50, max: 50_000 };

type Kept = { readonly keys: EventKey[]; walking: Promise<void> | null };

export function createPagePositions(
  { walk, contentOf }: PositionReads,
  { stride, atOnce, max }: PositionLimits = LIMITS,
): PagePositions {
  /** In the order of their last use. */
  const kept = new Map<string, Kept>();
  let keptKeys = 0;

  function use(name: string): Kept {
    const used = kept.get(name) ?? { keys: [], walking: null };
    kept.delete(name);
    kept.set(name, used);
    makeRoom();
    return used;
  }

  /** One that has no keys yet takes room too. */
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

  /** The positions of a selection: so many at least, unless it ends before them. */
  async function walkTo(name: string, selection: EventSelection, places: number, inTurn: InTurn) {
    const used = use(name);
    while (used.keys.length < places) {
      const known = used.keys.length;
      await inTurn(async () => {
        if (used.keys.length >= places) return;
        // Whoever comes while a part is walked waits for that one.
        used.walking ??= extend(name, used, selection, places).finally(() => {
          used.walking = null;
        });
        await used.walking;
      });
      if (used.keys.length === known) break;
    }
    return used.keys;
  }

  /** A way, how many positions are known along it, and how many events are left to walk past. */
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
      // Who goes from page to page is answered at once; who leaps may leap anywhere next.
      const all = Math.max(places, Math.floor(way.events / stride) - elsewhere);
      const wanted = places - known > atOnce ? all : places;
      const keys = await walkTo(name, way.selection, wanted, inTurn);
      const after = keys[places - 1];
      return after ? { way, start: { after, offset: way.offset % stride } } : fromEnd;
    },
  };
}
