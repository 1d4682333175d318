import type { InTurn } from "#projections/queries/events/kept-keys.ts";
import type { AnswerPlace } from "../../capacity/answer-places.ts";

/** Approximate size of an event in an answer, without structures and foreign attributes. */
const EVENT_BYTES = 800;
/** Larger pages wait for turns. */
const SHORT_PAGE = 1_000;

/** Reads a page of at most `events` events in its turn; the place is released once it is read. */
export async function readInTurn<T>(
  turn: AnswerPlace["turn"],
  events: number,
  read: () => Promise<T>,
): Promise<T> {
  const leave = await turn(events > SHORT_PAGE ? "pages" : "others", events * EVENT_BYTES);
  try {
    return await read();
  } finally {
    leave();
  }
}

/** Separate turns for the parts of the walk to a page by number, while the page keeps its place. */
export function walkInTurn(turn: AnswerPlace["turn"]): InTurn {
  return async (walk) => {
    const leave = await turn("walks");
    try {
      await walk();
    } finally {
      leave();
    }
  };
}
