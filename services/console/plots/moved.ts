/** How a selection comes: while it is dragged or played, as a choice, or by one step of many. */
export type Moved = "moving" | "chosen" | "stepped";
