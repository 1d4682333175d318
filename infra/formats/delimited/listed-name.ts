import { cleanText } from "./fdsn-text-writer.ts";

/**
 * The form of a name by which it is compared with what lists show of it: they cannot hold bars and line ends, and
 * readers of theirs take several blanks for one.
 */
export function listedName(name: string): string {
  return cleanText(name).replaceAll(/\s+/g, " ").toLowerCase();
}
