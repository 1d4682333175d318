import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { RowSink } from "../format-reader.ts";
import { createFitTest } from "./header-fit.ts";
import { withRest } from "./last-column.ts";
import { createRowNotebook, type FinisherOptions, rowFinishers } from "./row-notebook.ts";
import type { RowFinisher } from "./row-notes.ts";
import { createRowWidth } from "./row-width.ts";
import {
  type ColumnOptions,
  createEmptinessTest,
  createTableColumns,
  LEFT_OUT,
} from "./table-columns.ts";

export type RowBuilder = {
  /** Emits the row of a record, or its error; `text`, during the call, is the record in the file. */
  readonly tell: (fields: readonly string[], line: number, text: () => string) => void;
  /** The column names, including columns that only some rows have. */
  readonly names: () => readonly string[];
  /** The keys of the rows, by column; `LEFT_OUT` for none. */
  readonly keys: () => readonly string[];
};

export type RowOptions = FinisherOptions & ColumnOptions;

/** Makes rows from records, with one value per column; `own` are the file's own column names. */
export function createRowBuilder(
  own: readonly string[],
  options: RowOptions,
  sink: RowSink,
  headerLine: number,
): RowBuilder {
  const widthOf = createRowWidth(own);
  const table = createTableColumns(own, options, (message) => sink.warning(headerLine, message));
  const { names, keys, columns } = table;
  const emptiness = createEmptinessTest(own, columns);
  const { dialect, endsInNumber } = options.shape;
  const misfitOf = createFitTest(options.shape, columns);
  const lastColumn = { columns, dialect, isNumeric: endsInNumber };
  const build = createCellsReader(table, rowFinishers(table, columns, options), sink);

  function tellMisfit(fields: readonly string[], line: number, text: () => string): void {
    const count = `The row has ${fields.length} fields where there are ${own.length} columns`;
    const isLonger = fields.length > own.length;
    const whole = isLonger ? withRest(fields, lastColumn, text) : null;
    const last = JSON.stringify(names.at(-1));
    if (whole !== null) {
      sink.warning(line, `${count}; ${JSON.stringify(names[whole.taker])} takes the rest`);
      sink.row(build(whole.fields, own.length, line), line);
    } else if (isLonger && endsInNumber) sink.error(line, `${count}, and ${last} is a number`);
    else sink.error(line, count);
  }

  return {
    tell(fields, line, text) {
      const width = fields.length === own.length ? own.length : widthOf(fields);
      const empty = emptiness(fields);
      const misfit = fields.length < own.length ? null : misfitOf(fields, text);
      if (empty !== null) sink.warning(line, empty);
      else if (misfit !== null) sink.error(line, misfit, { beyondLimit: true });
      else if (width === null) tellMisfit(fields, line, text);
      else if (isSame(fields, own)) {
        sink.warning(line, "The row repeats the header; it is left out");
      } else {
        if (width > names.length) table.add(width - own.length);
        sink.row(build(fields, Math.max(width, own.length), line), line);
      }
    },
    names: () => names,
    keys: () => keys,
  };
}

/** Returns what makes a row of a record's fields, up to a width. */
function createCellsReader(
  { keys, columns, readers }: ReturnType<typeof createTableColumns>,
  finishers: readonly RowFinisher[],
  sink: RowSink,
): (fields: readonly string[], width: number, line: number) => JsonObject {
  const notes = createRowNotebook(sink);
  const extraColumn = keys[columns.findIndex(({ meaning }) => meaning === "extra")] ?? "extra";

  return (fields, width, line) => {
    const row: JsonObject = {};
    notes.open(line);
    for (let i = 0; i < width; i++) {
      const [key, read] = [keys[i], readers[i]];
      if (key !== undefined && key !== LEFT_OUT && read !== undefined) {
        row[key] = read(fields[i] ?? "", notes);
      }
    }
    for (const finish of finishers) finish(row, fields, notes);
    notes.close(row, extraColumn);
    return row;
  };
}

function isSame(fields: readonly string[], own: readonly string[]): boolean {
  return fields[0] === own[0] && own.every((name, i) => fields[i] === name);
}
