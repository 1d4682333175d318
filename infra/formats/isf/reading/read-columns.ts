import { columnsOf, integerIn, numberIn, type TextLine } from "../../fixed-columns.ts";
import { type Column, nameOf } from "../columns/column.ts";
import { type Drafts, draftOf, put, putForeign } from "../shared/drafts.ts";

/** How files say that they do not know a code or a letter. */
const UNKNOWN = { text: /^\?+$/, code: /^[_?]$/, real: /^$/, integer: /^$/ } as const;

/**
 * Puts the values of a line into drafts. A letter that stands for nothing known, and a number that was
 * too long for its columns, become foreign elements under the column's name, with a warning.
 * @param scale the power of ten that the line names
 * @throws FaultyLine where a number is none
 */
export function readColumns(
  columns: readonly Column[],
  line: TextLine,
  drafts: Drafts,
  warn: (message: string) => void,
  scale = 0,
): Drafts {
  for (const column of columns) {
    const text = columnsOf(line, column.from, column.to);
    if (text === "" || UNKNOWN[column.kind].test(text)) continue;
    const value = valueIn(column, line, text, scale);
    if (value === undefined) {
      warn(`columns ${column.from} to ${column.to} hold ${JSON.stringify(text)}, kept as foreign`);
      putForeign(draftOf(drafts, column.object), nameOf(column), text);
    } else put(drafts, column, column.isForeign ? text : value);
  }
  return drafts;
}

function valueIn(column: Column, line: TextLine, text: string, scale: number): unknown {
  const { from, to, kind, places = 0, isScaled, codes = {} } = column;
  switch (kind) {
    case "text":
      return text;
    case "code":
      return codes[text.toLowerCase()];
    case "integer":
      return integerIn(line, from, to);
    case "real":
      return numberIn(line, from, to, places + (isScaled ? scale : 0));
  }
}
