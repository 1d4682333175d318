import { idsOfRow } from "./agency-event.ts";
import type { WindowEvents, WindowReader } from "./read-window.ts";
import { halvesOf } from "./time-window.ts";

/** Numbers of rows at which agencies cut their answers off in silence. */
const ROUND_NUMBERS = new Set([100, 500, 1_000, 5_000, 10_000, 20_000]);

/** Most rows in one answer of an agency. */
export type AnswerCap = {
  readonly now: () => number;
  /** From then on, for the rest of the run. */
  readonly lower: (rows: number) => void;
};

export function createAnswerCap(rows: number): AnswerCap {
  let cap = rows;
  return {
    now: () => cap,
    lower: (found) => {
      cap = Math.min(cap, found);
    },
  };
}

/**
 * A reader of windows that looks at the halves of a window whose answer has a round number of rows. Where
 * they have events that the whole had not, that number is the agency's cap, and the window is too much.
 */
export function createSuspiciousReader(read: WindowReader, cap: AnswerCap): WindowReader {
  return async (window, signal) => {
    const whole = await read(window, signal);
    if (whole.kind === "tooMuch") return whole;
    const suspected = whole.rows.filter((rows) => ROUND_NUMBERS.has(rows));
    if (suspected.length === 0) return whole;
    const had = idsOfWindow(whole);
    for (const half of halvesOf(window) ?? []) {
      const part = await read(half, signal);
      const hasMore = part.kind === "tooMuch" || !idsOfWindow(part).isSubsetOf(had);
      if (!hasMore) continue;
      cap.lower(Math.min(...suspected));
      return { kind: "tooMuch" };
    }
    return whole;
  };
}

function idsOfWindow({ events, beside, errors }: WindowEvents): Set<string> {
  const ids = [...events, ...beside].map(({ event }) => idsOfRow(event));
  return new Set(
    [...ids, ...errors].flatMap(({ publicId, sourceId }) => publicId ?? sourceId ?? []),
  );
}
