import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { isNumeric } from "#contracts/seismic-event/number-text.ts";
import { mapEventType } from "../legacy-event-types.ts";
import type { MeantColumn } from "./columns.ts";
import type { Dialect } from "./record-reader.ts";

export type LastColumn = {
  readonly columns: readonly MeantColumn[];
  readonly dialect: Dialect;
  /** The last column holds numbers in the file's first lines. */
  readonly isNumeric: boolean;
};

/**
 * The fields of a record that has more of them than there are columns, because its last text has the
 * delimiter in it: that column takes the rest. In FDSN text it may be the one before the event's type.
 * Null where no column may take it.
 */
export function withRest(
  fields: readonly string[],
  { columns, dialect, isNumeric: endsInNumber }: LastColumn,
  line: () => string,
): { readonly fields: readonly string[]; readonly taker: number } | null {
  const last = columns.length - 1;
  const isTyped =
    columns[last]?.meaning === "event_type" && columns[last - 1]?.meaning === "region";
  const type = fields.at(-1) ?? "";
  const after = isTyped && (type === "" || mapEventType(type) !== null) ? 1 : 0;
  const taker = last - after;
  if (taker < 1 || !isText(columns[taker]) || (after === 0 && endsInNumber)) return null;
  const end = fields.length - after;
  // More likely a decimal comma than the beginning of a text.
  if (dialect.delimiter !== " " && isNumeric(fields[taker] ?? "")) return null;
  const rest = textOf(fields.slice(taker, end), { taker, after }, dialect, line());
  return { fields: [...fields.slice(0, taker), rest, ...fields.slice(end)], taker };
}

function isText(column: MeantColumn | undefined): boolean {
  const meaning = column?.meaning ?? null;
  if (meaning === null) return true;
  return Object.hasOwn(ATTRIBUTES, meaning)
    ? ATTRIBUTES[meaning as keyof typeof ATTRIBUTES].kind === "text"
    : false;
}

/** The fields as they stand in the line, with the blanks between them, unless there are quotes. */
function textOf(
  fields: readonly string[],
  { taker, after }: { readonly taker: number; readonly after: number },
  { delimiter, quoting }: Dialect,
  line: string,
): string {
  if (delimiter === " " || (quoting && line.includes('"'))) return fields.join(delimiter);
  const parts = line.trim().split(delimiter);
  return parts
    .slice(taker, parts.length - after)
    .join(delimiter)
    .trim();
}
