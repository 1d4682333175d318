import { counted } from "../../ui/text/format.ts";
import { type ColumnChoice, withoutMagnitude } from "./columns.ts";
import type { Upload } from "./read-upload.ts";

type MagnitudeNoteProps = { readonly upload: Upload; readonly choice: ColumnChoice };

/** How many rows have no magnitude, as the columns are read; nothing where all have one. */
export function MagnitudeNote({ upload, choice }: MagnitudeNoteProps) {
  const { rows, isExact } = withoutMagnitude(upload, choice);
  if (rows === 0) return null;
  if (isExact && rows === upload.rowCount) {
    return (
      <p>
        No row has a magnitude: {rows === 1 ? "it is" : "all are"} kept, with the magnitude unknown.
      </p>
    );
  }
  return (
    <p>
      {isExact ? "" : "Up to "}
      {counted(rows, "row")} {rows === 1 ? "has" : "have"} no magnitude:{" "}
      {rows === 1 ? "it is" : "they are"} kept, with the magnitude unknown.
    </p>
  );
}
