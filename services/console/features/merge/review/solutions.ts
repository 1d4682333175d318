import { type LocatedEvent, readLocatedEvent } from "../../../api/located-event.ts";
import type { ReviewPair } from "./queue.ts";

export type Solutions = readonly [first: LocatedEvent | null, second: LocatedEvent | null];

/** Solutions that are kept at hand: those of the last pairs, and of the next. */
const KEPT = 64;

/** Reads both solutions of a pair; those of a pair that was read ahead are there at once. */
export function createSolutions(): (pair: ReviewPair) => Promise<Solutions> {
  const known = new Map<string, Promise<LocatedEvent | null>>();
  const read = ({ catalogue_id: id, event_id: eventId }: ReviewPair["first"]) => {
    const key = `${id} ${eventId}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    // One that cannot be read is shown by what the pair itself tells.
    const reading = readLocatedEvent({ id, eventId }, undefined).catch(() => {
      known.delete(key);
      return null;
    });
    known.set(key, reading);
    const [oldest] = known.keys();
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    return reading;
  };
  return async ({ first, second }) => Promise.all([read(first), read(second)]);
}
