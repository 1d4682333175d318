import { createTextIndex } from "../../files/text-index.ts";

/** How an object stands to those that are in the file: new, the same again, or another with its key. */
type Standing = "new" | "same" | "other";

/**
 * The objects that stand beside the events of a file: events that share one share its only copy.
 * Remembers hashes alone.
 */
export function createWrittenObjects() {
  const keys = createTextIndex();
  const contents = createTextIndex();
  return {
    add(key: string, xml: string): Standing {
      if (contents.numbersOf(xml).length > 0) return "same";
      contents.add(xml, 0);
      if (keys.numbersOf(key).length > 0) return "other";
      keys.add(key, 0);
      return "new";
    },
  };
}
