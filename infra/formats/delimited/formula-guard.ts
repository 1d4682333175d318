/**
 * The guard against texts that a spreadsheet would run as formulas (CSV injection, CWE-1236): one `'`
 * before a text that begins with a tab, a line end or a formula's sign, also a full-width one as East
 * Asian keyboards give it, and with white space before the sign, which spreadsheets pass over. A text
 * that begins with `'` and would be taken for a guarded one gets another, so that taking the guard off
 * always gives the text back.
 */
const RUNNABLE = /^'*(?:[\t\n\v\f\r\u0085\u2028\u2029]|[\s\u0085]*[=+\-@＝＋－＠])/u;
const GUARD = "'";

export function guardFormula(text: string): string {
  return RUNNABLE.test(text) ? GUARD + text : text;
}

/** What `guardFormula` was given. */
export function unguardFormula(text: string): string {
  if (!text.startsWith(GUARD)) return text;
  const bare = text.slice(GUARD.length);
  return RUNNABLE.test(bare) ? bare : text;
}
