/**
 * Texts that people are shown: which may be, which say the same, and which a spreadsheet would
 * run.
 */

/**
 * Control characters, line ends, turns of direction: a text could look like another, or like two.
 */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Text of only these characters is invisible: white space and default-ignorable characters. */
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]+$/u;

/** Why a text may not be shown to others, as the end of a sentence. */
export const NOT_SHOWN =
  "holds control characters, marks that turn the direction of text, or nothing that can be seen";

/** Whether a name or a label may be shown to others: one visible line without misleading characters. */
export function isShownLine(text: string): boolean {
  return text.isWellFormed() && !MISLEADING.test(text) && !UNSEEN.test(text);
}

/** Like `isShownLine`, for texts of several lines, which may contain tabs. */
export function isShownText(text: string): boolean {
  return isShownLine(text.replaceAll(/[\t\n\r]/g, ""));
}

const NUMBER = /[-+\u2212]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/gi;

/** The same text for messages that say the same of different rows: but for the numbers in it. */
export function saidAlike(message: string): string {
  return message.replaceAll(NUMBER, "#");
}

/**
 * The guard against texts that a spreadsheet would run as formulas (CSV injection, CWE-1236): a `'`
 * in front of a text that begins with a tab, a line end, a formula's sign or the bar of a DDE call.
 * Full-width signs of East Asian keyboards count, and so does a sign after white space, which
 * spreadsheets skip, or after characters that nobody sees. A text that already begins with `'` and looks guarded gets another
 * one, so removing the guard always restores the text.
 */
const RUNNABLE =
  /^'*(?:[\t\n\v\f\r\u0085\u2028\u2029]|[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@|＝＋－＠｜])/u;
const GUARD = "'";

export function guardFormula(text: string): string {
  return RUNNABLE.test(text) ? GUARD + text : text;
}

/** The inverse of `guardFormula`. */
export function unguardFormula(text: string): string {
  if (!text.startsWith(GUARD)) return text;
  const bare = text.slice(GUARD.length);
  return RUNNABLE.test(bare) ? bare : text;
}

/** True for text of nothing but blanks. Of text that begins with a letter or a digit one look is enough. */
export function isBlank(text: string): boolean {
  return text === "" || (text.charCodeAt(0) <= 32 && text.trim() === "");
}
