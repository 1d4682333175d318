import { type CsvError, parse } from "csv-parse/sync";
import { type Dialect, splitUnquoted } from "./dialect.ts";

/** The fields of a record, or why it has none. */
export type Fields = { readonly fields: readonly string[] } | { readonly fault: string };

/** The fields of one record. Blanks around unquoted fields are left out, those in quotes are kept. */
export function parseRecord(text: string, dialect: Dialect): Fields {
  if (!dialect.quoting || !text.includes('"')) {
    return { fields: splitUnquoted(text, dialect.delimiter) };
  }
  try {
    const records = parseQuoted(text, dialect);
    const [fields] = records;
    if (records.length === 1 && fields !== undefined) return { fields };
    return { fault: "holds quotes that cannot be read" };
  } catch (error) {
    return { fault: `cannot be read: ${(error as CsvError).message}` };
  }
}

/**
 * The fields of many records that hold quotes, all of them in order. csv-parse reads them in one
 * call, because setting it up costs as much as reading dozens of records, and from the first quoted
 * field to the last: where there are no quotes, the engine's own split finds the fields several
 * times as fast (test/bench/parts/delimited.ts).
 */
export function parseQuotedRecords(texts: readonly string[], dialect: Dialect): Fields[] {
  if (texts.length === 0) return [];
  const parts = texts.map((text) => partsOf(text, dialect));
  try {
    const records = parseQuoted(parts.map(({ quoted }) => quoted).join("\n"), dialect);
    if (records.length === texts.length) {
      return parts.map(({ head, tail }, i) => ({ fields: head.concat(records[i] ?? [], tail) }));
    }
  } catch {
    // One of them cannot be read: which one is found below.
  }
  return texts.map((text) => parseRecord(text, dialect));
}

type Parts = { readonly head: string[]; readonly quoted: string; readonly tail: string[] };

/** Before its first quoted field and after its last one, a record is delimited and nothing else. */
function partsOf(text: string, { delimiter }: Dialect): Parts {
  if (delimiter === " ") return { head: [], quoted: text, tail: [] };
  const before = text.lastIndexOf(delimiter, text.indexOf('"'));
  const after = text.indexOf(delimiter, text.lastIndexOf('"'));
  return {
    head: before === -1 ? [] : splitUnquoted(text.slice(0, before), delimiter),
    quoted: text.slice(before + 1, after === -1 ? text.length : after),
    tail: after === -1 ? [] : splitUnquoted(text.slice(after + 1), delimiter),
  };
}

function parseQuoted(text: string, { delimiter }: Dialect): string[][] {
  if (delimiter === " ") return parseBlankSeparated(text);
  return parse(text, {
    delimiter,
    trim: true,
    relax_column_count: true,
    record_delimiter: "\n",
  });
}

/** csv-parse sees an empty field between two blanks; only one in quotes is meant. */
function parseBlankSeparated(text: string): string[][] {
  const records = parse(text, {
    delimiter: [" ", "\t"],
    relax_column_count: true,
    record_delimiter: "\n",
    cast: (value, { quoting }) => (value === "" && !quoting ? null : value),
  }) as (string | null)[][];
  return records.map((fields) => fields.filter((field) => field !== null));
}
