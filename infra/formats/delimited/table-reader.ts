import type { RowSink } from "../format-reader.ts";
import { columnsFault } from "./columns.ts";
import type { FileShape } from "./file-shape.ts";
import { foreignZone, remarksOnMissing, remarksOnUnits } from "./header-remarks.ts";
import { ZMAP_TITLE } from "./known-layouts.ts";
import { createRecordReader, type RecordReader } from "./record-reader.ts";
import { createRowBuilder, type RowBuilder, type RowOptions } from "./row-builder.ts";
import { remarksOnUnknown } from "./unknown-columns.ts";

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
  const { header, layout, dialect, sample } = shape;
  let rows: RowBuilder | null = null;
  let unreadable = false;

  function begin(names: readonly string[]): void {
    const fault = columnsFault(names) ?? foreignZone(names, columns, sample);
    if (fault !== null) {
      unreadable = true;
      sink.error(line, fault, { beyondLimit: true });
      return;
    }
    const decimalYear = layout?.title === ZMAP_TITLE;
    rows = createRowBuilder(names, { decimalYear, shape, columns, sense }, sink, line);
    const keys = rows.keys();
    const remarks = [...remarksOnMissing(keys), ...remarksOnUnits(keys)];
    if (header !== null) remarks.push(...remarksOnUnknown(keys, sample));
    for (const remark of remarks) sink.warning(line, remark);
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

  if (header === null) {
    sink.warning(line, remarkOnLayout(layout));
    begin(layout?.names ?? Array.from({ length: shape.width }, () => ""));
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

function remarkOnLayout(layout: FileShape["layout"]): string {
  if (layout === null) return "There is no header, and the columns are none that are known";
  return `There is no header; the columns are read as those of ${layout.title}`;
}
