import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { isDeleted } from "../facade-row.ts";
import { FIELD, type FormatWriter } from "../format-writer.ts";

/** QuakeML's type of an event that is none (QuakeML 1.2, BED, EventType). */
const TYPE = "not existing";

/** For formats without a status: removed events have the type `not existing`, in their bulletins too. */
export function withDeletedTyped(writer: FormatWriter): FormatWriter {
  return {
    ...writer,
    row(row, bulletin) {
      if (!isDeleted(row)) return writer.row(row, bulletin);
      return writer.row(row.with(FIELD.event_type, TYPE), bulletin && typed(bulletin));
    },
  };
}

function typed(bulletin: Bulletin): Bulletin {
  return { ...bulletin, type: TYPE };
}
