import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { ExportRow, FormatWriter } from "../format-writer.ts";

/** Writes an item for each row, one on a line with commas between, after `head` and before what `end` returns. */
export function createListWriter(
  head: string,
  itemOf: (row: ExportRow, bulletin?: Bulletin | null) => string,
  { first = "\n", end = () => "\n]}\n" }: { first?: string; end?: () => string } = {},
): FormatWriter {
  let separator = first;
  return {
    begin: () => head,
    row(row, bulletin) {
      const text = separator + itemOf(row, bulletin);
      separator = ",\n";
      return text;
    },
    end,
  };
}
