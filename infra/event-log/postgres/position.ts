import { type Position, START } from "../event-log.ts";

/** A place in the order of events, in decimal text, since both numbers exceed the safe integers. */
export type Cursor = { readonly transactionId: string; readonly position: string };

const FORM = /^[0-9a-f]{32}$/;

/** The number of the event at a position: ascending in the order of writing, with gaps. */
export function ordinalOf(position: Position): number {
  return Number(cursorOf(position).position);
}

/**
 * The inverse of event_log.position_text: two numbers of 16 hexadecimal digits.
 * @throws RangeError for any other text
 */
export function cursorOf(position: Position): Cursor {
  if (position === START) return { transactionId: "0", position: "0" };
  if (!FORM.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return {
    transactionId: BigInt(`0x${position.slice(0, 16)}`).toString(),
    position: BigInt(`0x${position.slice(16)}`).toString(),
  };
}
