import { isDeepStrictEqual } from "node:util";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { ownAttributesOf, withOwnAttributes } from "#contracts/bulletin/own-members.ts";
import { compactEventId } from "#contracts/seismic-event/event-id.ts";
import { isJsonObject, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import {
  type ExportedCatalogue,
  type ExportRow,
  FIELD,
  type FormatWriter,
} from "../format-writer.ts";
import { createQuakemlWriter } from "./quakeml-writer.ts";
import { idsOfEvent } from "./row/agency-ids.ts";
import { rowOfBulletin } from "./row-of-bulletin.ts";
import { type QuakemlForm, writeBulletin } from "./whole/write-bulletin.ts";

/**
 * A writer of QuakeML 1.2 BED with whole events: those with a bulletin as it is, others as
 * `createQuakemlWriter` writes their rows. Of the form `valid` documents are valid by the schema, and our
 * reader restores both forms.
 */
export function createWholeQuakemlWriter(
  exported: ExportedCatalogue,
  form: QuakemlForm,
): FormatWriter {
  const rows = createQuakemlWriter(exported);
  return {
    ...rows,
    row(row, bulletin = null) {
      if (bulletin === null) return rows.row(row);
      const eventId = compactEventId(row[FIELD.id] ?? "");
      return writeBulletin(withAttributesOfRow(bulletin, row), { form, eventId });
    },
  };
}

/** The bulletin with what only the row says: of `extra` more than the bulletin, its sources, and another id. */
function withAttributesOfRow(bulletin: Bulletin, row: ExportRow): Bulletin {
  const own: JsonObject = {};
  const sources = row[FIELD.source_events] ?? null;
  if (sources !== null) own["source_events"] = JSON.parse(sources);
  const sourceId = row[FIELD.source_id] ?? null;
  if (sourceId !== null && sourceId !== idsOfEvent(bulletin).sourceId) {
    own["source_id"] = sourceId;
  }
  const extra = row[FIELD.extra] ?? null;
  if (extra !== null) {
    const view = rowOfBulletin(bulletin, () => {});
    const values = JSON.parse(extra);
    const shown = isJsonObject(view) ? (view["extra"] ?? {}) : {};
    if (!isDeepStrictEqual(shown, values)) own["extra"] = values;
  }
  if (Object.keys(own).length === 0) return bulletin;
  return withOwnAttributes(bulletin, { ...ownAttributesOf(bulletin), ...own });
}
