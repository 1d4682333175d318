import { bulletinOfRow } from "#contracts/bulletin/bulletin-of-row.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { BulletinWriter, ExportRow, FormatWriter } from "../format-writer.ts";
import { eventJson } from "../json/json-writer.ts";

/** Writes whole events: one without a bulletin gives its row as one. */
export function ofWholeEvents({ begin, event, end }: BulletinWriter): FormatWriter {
  return { begin, row: (row, bulletin) => event(bulletin ?? bulletinOfRow(eventOf(row))), end };
}

function eventOf(row: ExportRow): SeismicEvent {
  return JSON.parse(eventJson(row)) as SeismicEvent;
}
