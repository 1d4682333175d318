import { FIELD } from "#infra/formats/format-writer.ts";
import { featureOf } from "#infra/formats/json/writer.ts";
import { readTextRow } from "#infra/postgres/copy/text-copy.ts";
import { toExportRow } from "../events/copied-event.ts";
import type { EventKey } from "../events/event-cursor.ts";
import { EVENT_COLUMNS } from "../events/event-rows.ts";
import { collectedPage, type EventWriter, type PageForm } from "../events/event-writer.ts";

/** Pages of GeoJSON Features as an export has them. */
export const AS_FEATURES: PageForm = { columns: EVENT_COLUMNS, createWriter: createFeatureWriter };

function createFeatureWriter(limit: number, reversed: boolean): EventWriter {
  const pieces: Buffer[] = [];
  const keys: EventKey[] = [];
  let more = false;
  return {
    add(line) {
      if (pieces.length === limit) {
        more = true;
        return;
      }
      const row = readTextRow(line.toString("utf8", 0, line.length - 1));
      const time = row[FIELD.time] ?? "";
      const id = row[FIELD.id] ?? "";
      const magnitude = row[FIELD.magnitude] ?? null;
      keys.push({ magnitude: magnitude === null ? null : Number(magnitude), time, id });
      pieces.push(Buffer.from(featureOf(toExportRow(row))));
    },
    finish: () => collectedPage(pieces, keys, reversed, more),
  };
}
