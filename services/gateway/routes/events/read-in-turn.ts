import type { InTurn } from "#projections/queries/kept-keys.ts";
import type { AnswerPlace } from "../../capacity/answer-places.ts";

/** What an event takes in an answer, about: without structures and attributes of its own. */
const EVENT_BYTES = 800;
/** Pages of more events wait for each other. */
const SHORT_PAGE = 1_000;

/** Reads a page of so many events at most when it is its turn; others may begin once it is read. */
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

/** Turns of one part after the other of the way to a page by number; the place of the page is kept. */
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
