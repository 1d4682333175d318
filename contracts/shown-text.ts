/**
 * Control characters, separators of lines, and the marks that turn the direction of text (Unicode's
 * Bidi_Control): with them a text looks like another, or like two.
 */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** A text of such characters alone shows nothing: blanks, and what is ignored where it is not known. */
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]+$/u;

/** What is said of a text that may not be shown to others, as the end of a sentence. */
export const NOT_SHOWN =
  "holds control characters, marks that turn the direction of text, or nothing that can be seen";

/** Whether a name or a label may be shown to others: one line of characters that are what they seem. */
export function isShownLine(text: string): boolean {
  return text.isWellFormed() && !MISLEADING.test(text) && !UNSEEN.test(text);
}

/** The same of a text of several lines, which may have tabs. */
export function isShownText(text: string): boolean {
  return isShownLine(text.replaceAll(/[\t\n\r]/g, ""));
}
