import { meaningOf, zoneInName } from "#contracts/seismic-event/input-names.ts";
import { timePartNames } from "#contracts/seismic-event/split-time.ts";
import type { RowSink } from "../format-reader.ts";
import { type ColumnMeaning, columnMeanings, columnsFault } from "./columns.ts";
import type { FileShape } from "./file-shape.ts";
import { ZMAP_TITLE } from "./known-layouts.ts";
import { createRecordReader, type RecordReader } from "./record-reader.ts";
import { createRowBuilder, type RowBuilder, type RowOptions } from "./row-builder.ts";

const LISTED_PARTS = 10;

export type TableReader = RecordReader & {
  readonly headers: () => readonly string[];
};

/** Reads a file from its header on, or from the first row without a header; `line` is that line. */
export function createTableReader(
  shape: FileShape,
  line: number,
  { columns, sense }: Pick<RowOptions, "columns" | "sense">,
  sink: RowSink,
): TableReader {
  const { header, layout, dialect } = shape;
  let rows: RowBuilder | null = null;
  let unreadable = false;

  function begin(names: readonly string[]): void {
    const fault = columnsFault(names);
    if (fault !== null) {
      unreadable = true;
      sink.error(line, fault, { beyondLimit: true });
      return;
    }
    const decimalYear = layout?.title === ZMAP_TITLE;
    const zone = foreignZone(names);
    if (zone !== null) {
      unreadable = true;
      sink.error(line, zone, { beyondLimit: true });
      return;
    }
    rows = createRowBuilder(names, { decimalYear, shape, columns, sense }, sink, line);
    warnOfMissing(rows.keys());
  }

  /** Why the only times of a file cannot be read: its column says another zone. */
  function foreignZone(names: readonly string[]): string | null {
    const hasTime = names.some(
      (name) => columns.has(name) || ["time", "date"].includes(meaningOf(name)?.field ?? ""),
    );
    for (const name of hasTime || timePartNames(names) !== null ? [] : names) {
      const fault = zoneInName(name);
      if (fault !== null) return `the times of ${JSON.stringify(name)} are ${fault}`;
    }
    return null;
  }

  function warnOfMissing(names: readonly string[]): void {
    const columns = columnMeanings(names);
    const meanings = new Set(columns.map(({ meaning }) => meaning));
    const missing: string[] = [];
    const isThere = (...any: ColumnMeaning[]) => any.some((meaning) => meanings.has(meaning));
    if (!isThere("time", "date", "part")) missing.push("time");
    if (!isThere("latitude")) missing.push("latitude");
    if (!isThere("longitude")) missing.push("longitude");
    if (missing.length > 0) {
      sink.warning(line, `No column is recognised as ${missing.join(" or ")}`);
    }
    if (!isThere("time", "date"))
      warnOfParts(names.filter((_, i) => columns[i]?.meaning === "part"));
    if (!isThere("magnitude")) {
      sink.warning(
        line,
        "No column is recognised as magnitude; it is null, not known, in all rows",
      );
    }
  }

  function warnOfParts(parts: readonly string[]): void {
    if (parts.length === 0 || timePartNames(parts) !== null) return;
    const named = parts.slice(0, LISTED_PARTS).join(", ");
    sink.warning(line, `No time can be made of ${named}: a year, a month and a day are needed`);
  }

  const records = createRecordReader(dialect, line, {
    record(fields, at, text) {
      if (rows !== null) rows.tell(fields, at, text);
      else if (!unreadable) begin(fields);
    },
    fault(at, message) {
      if (rows === null && !unreadable) {
        unreadable = true;
        sink.error(at, `The header ${message}`);
      } else if (!unreadable) sink.error(at, `The row ${message}`);
    },
  });

  if (layout !== null) {
    sink.warning(line, `There is no header; the columns are read as those of ${layout.title}`);
    begin(layout.names);
  } else if (header === null) {
    sink.warning(line, "There is no header, and the columns are none that are known");
    begin(Array.from({ length: shape.width }, () => ""));
  }

  return {
    write(text) {
      if (!unreadable) records.write(text);
    },
    end() {
      if (!unreadable) records.end();
    },
    headers: () => rows?.names() ?? [],
  };
}
