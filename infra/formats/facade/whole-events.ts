import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { BulletinWriter, ExportRow, FormatWriter } from "../format-writer.ts";
import { eventJson } from "../json/writer.ts";

/**
 * Writes whole events: one without a bulletin gives its row as one.
 * @param idOf the public id of an event; by default its bulletin's own
 */
export function ofWholeEvents(
  { begin, event, end }: BulletinWriter,
  idOf?: (row: ExportRow) => string,
): FormatWriter {
  return {
    begin,
    row(row, bulletin) {
      const whole = bulletin ?? bulletinOfRow(eventOf(row));
      return event(idOf === undefined ? whole : { ...whole, publicID: idOf(row) });
    },
    end,
  };
}

function eventOf(row: ExportRow): SeismicEvent {
  return JSON.parse(eventJson(row)) as SeismicEvent;
}
