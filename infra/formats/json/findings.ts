/** Members whose lists contain events; `catalog` is CSEP's. */
export type ListName = "events" | "features" | "catalog";

export function isListName(name: string | null): name is ListName {
  return name === "events" || name === "features" || name === "catalog";
}

/** Where an element stands: in a top-level list, in a member's list, or at the top level. */
export type Place = "list" | ListName | "document";

/** The scanner's findings in text order; a line is where an element begins. */
export type Findings = {
  /** The text of one element, which may not be valid JSON. */
  readonly element: (text: string, line: number, place: Place) => void;
  /**
   * Start of a list of events; `head` is the part of the enclosing object before it, null without
   * one.
   */
  readonly list: (place: Place, head: string | null, line: number) => void;
  readonly error: (line: number, message: string) => void;
  readonly warning: (line: number, message: string) => void;
};
