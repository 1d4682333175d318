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
