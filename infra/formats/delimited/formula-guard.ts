/**
 * The guard against texts that a spreadsheet would run as formulas (CSV injection, CWE-1236): one `'`
 * before a text that begins with a formula character. A text that begins with `'` and would be taken
 * for a guarded one gets another, so that taking the guard off always gives the text back.
 */
const FORMULA = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function unguardFormula(text: string): string {
  return text.charCodeAt(0) === 39 && GUARDED.test(text) ? text.slice(1) : text;
}
