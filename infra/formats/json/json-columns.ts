import type { ExportRow } from "../format-writer.ts";
import {
  BLOCK_ROWS,
  type ColumnsHead,
  type ColumnsWriter,
  createColumnSpools,
} from "../packed/columns-writer.ts";
import { isTextField, jsonString } from "./json-writer.ts";

/**
 * Writes `{catalogue, version, count, columns: [{name, values}]}`, with values as the API answers them.
 * Rows have the columns' values as export rows have theirs.
 */
export function createJsonColumns({
  catalogue,
  version,
  columns: names,
}: ColumnsHead): ColumnsWriter<Iterable<ExportRow>> {
  const columns = names.map((name) => ({ name, isText: isTextField(name), text: "" }));
  const spools = createColumnSpools(names.length);
  const encoder = new TextEncoder();
  let rows = 0;
  let count = 0;

  function keep(): Promise<void> {
    const blocks = columns.map(({ text }) => encoder.encode(text));
    for (const column of columns) column.text = "";
    rows = 0;
    return spools.write(blocks);
  }

  return {
    async take(more) {
      for (const row of more) {
        for (const [i, column] of columns.entries()) {
          const value = row[i] ?? null;
          if (count > 0) column.text += ",";
          column.text += value !== null && column.isText ? jsonString(value) : value;
        }
        rows += 1;
        count += 1;
      }
      if (rows >= BLOCK_ROWS) await keep();
    },
    async *pieces() {
      await keep();
      yield encoder.encode(
        `${JSON.stringify({ catalogue, version, count }).slice(0, -1)},"columns":[`,
      );
      for (const [i, { name }] of columns.entries()) {
        yield encoder.encode(`${i === 0 ? "" : ","}{"name":"${name}","values":[`);
        yield* spools.read(i);
        yield encoder.encode("]}");
      }
      yield encoder.encode("]}\n");
    },
    discard: () => spools.discard(),
  };
}
