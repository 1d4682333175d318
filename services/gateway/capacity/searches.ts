import type { Pool } from "pg";
import { Refusal } from "#contracts/errors.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { type AskedPool, whileAsked } from "#infra/postgres/statements.ts";
import type { EventReads } from "#projections/read/walk.ts";
import type { AnswerPlace } from "./answer-place.ts";

/** Who reads, and the turns of his answer. */
export type SearchCall = {
  readonly asker: Pick<Asker, "signal">;
  readonly turn: AnswerPlace["turn"];
};

/** Approximate size of an event in an answer, without structures and foreign attributes. */
const EVENT_BYTES = 800;
/** Larger pages wait for turns. */
const SHORT_PAGE = 1_000;
/** Searches of a higher price (`priceOf`), half a second at most, wait for turns. */
const SHORT_SEARCH = 8_000_000;

/** How long a search or a count may take once it is its turn. */
const SEARCH_MS = 5_000;

/**
 * What a call reads events with. Whatever it starts ends when its caller leaves; what may take long runs in turns,
 * beside all else, and for a bounded time. A place is released once everything is read.
 */
export function readsFor(reads: EventReads, { turn, asker }: SearchCall): EventReads {
  const search: EventReads["search"] = async ({ price, events }, read) => {
    const isLong = price > SHORT_SEARCH;
    const kind = isLong ? "searches" : events > SHORT_PAGE ? "pages" : "others";
    const leave = await turn(kind, events * EVENT_BYTES);
    try {
      if (isLong) return await readBounded(reads.longPool, asker, read);
      return await read(whileAsked(reads.pool, asker.signal));
    } catch (error) {
      // A lost connection is nobody's fault then.
      asker.signal.throwIfAborted();
      throw error;
    } finally {
      leave();
    }
  };
  return { ...reads, search };
}

/** Reads with statements that end with who asks, and together within a time. @throws Refusal TOO_MANY_EVENTS */
export async function readBounded<T>(
  pool: Pool,
  { signal }: Pick<Asker, "signal">,
  read: (pool: AskedPool) => Promise<T>,
  boundMs = SEARCH_MS,
): Promise<T> {
  const bound = AbortSignal.timeout(boundMs);
  try {
    return await read(whileAsked(pool, AbortSignal.any([signal, bound])));
  } catch (cause) {
    signal.throwIfAborted();
    if (!bound.aborted) throw cause;
    const text = `These events are not found within ${boundMs / 1_000} s: narrow the time, the box or the magnitudes, ask by a simpler shape or fewer patterns, or export the catalogue`;
    throw new Refusal("TOO_MANY_EVENTS", text, { cause });
  }
}
