/** Names of the members whose lists hold events; `catalog` is CSEP's. */
export type ListName = "events" | "features" | "catalog";

export function isListName(name: string | null): name is ListName {
  return name === "events" || name === "features" || name === "catalog";
}

/** Where an element stands: in a list that is the document, in a member's list, or by itself. */
export type Place = "list" | ListName | "document";

/** What the scanner finds, in the order of the text; lines are those where an element begins. */
export type Findings = {
  /** The text of one element, which is JSON or not. */
  readonly element: (text: string, line: number, place: Place) => void;
  /** A list of events begins; `head` is what an object holds before it, null when there is none. */
  readonly list: (place: Place, head: string | null, line: number) => void;
  readonly error: (line: number, message: string) => void;
  readonly warning: (line: number, message: string) => void;
};
