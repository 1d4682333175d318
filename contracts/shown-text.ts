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
