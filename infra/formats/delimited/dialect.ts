export type Delimiter = "," | "\t" | ";" | "|" | " ";

/**
 * How the rows of a file are written. The delimiter `" "` stands for runs of blanks and tabs.
 * FDSN text knows no quotes (FDSN Event Web Service 1.2, "text output format"): a `"` in it is a
 * character like others.
 */
export type Dialect = { readonly delimiter: Delimiter; readonly quoting: boolean };

const TAB = 9;
const BLANK = 32;

/** True for a character code that ends a field. */
export function isDelimiterCode(delimiter: Delimiter, code: number): boolean {
  if (delimiter === " ") return code === BLANK || code === TAB;
  return code === delimiter.charCodeAt(0);
}

/** True for padding between a quote and a delimiter; where blanks delimit, nothing is padding. */
export function isPadding(delimiter: Delimiter, code: number): boolean {
  if (delimiter === " ") return false;
  return code === BLANK || (code === TAB && delimiter !== "\t");
}

/** The fields of a row that holds no quotes, without the blanks around them. */
export function splitUnquoted(row: string, delimiter: Delimiter): string[] {
  if (delimiter === " ") {
    const inner = row.trim();
    return inner === "" ? [] : inner.split(/[ \t]+/);
  }
  const fields = row.split(delimiter);
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i];
    if (field !== undefined) fields[i] = field.trim();
  }
  return fields;
}
