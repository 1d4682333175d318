import { type FragmentSqlToken, sql } from "slonik";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { bulletinOfRow } from "#contracts/bulletin/bulletin-of-row.ts";
import type { BulletinTable } from "#contracts/bulletin/table-columns.ts";
import { PARTS, type PartNumber } from "#infra/bulletins/packed-bulletin.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";
import { bulletinColumn } from "../events/bulletin-column.ts";
import { readCopiedBulletin } from "../events/copied-event.ts";
import { createRecordReader, EVENT_COLUMN_NAMES, EVENT_COLUMNS } from "../events/event-rows.ts";
import { eventsShown } from "../events/event-source.ts";
import { type ResolvedVersion, visibleAt } from "../events/resolve-version.ts";
import { uuidOrNull } from "../sql-values.ts";

/** An event's bulletin, made of its row where it has none. */
export type EventBulletin = { readonly id: string; readonly bulletin: Bulletin };

/** Reads rows copied as text with EVENT_COLUMNS and then a column of `bulletinColumn`. */
export function createEventBulletinReader(): (row: TextRow) => EventBulletin {
  const recordOf = createRecordReader(EVENT_COLUMN_NAMES);
  return (row) => {
    const id = row[0] as string;
    const bulletin = readCopiedBulletin(row[EVENT_COLUMN_NAMES.length] ?? null);
    return { id, bulletin: bulletin ?? bulletinOfRow({ id, ...recordOf(row) }) };
  };
}

/** The column of what a table needs of bulletins. */
export function tableColumn(table: BulletinTable): FragmentSqlToken {
  return bulletinColumn(PARTS_OF[table]);
}

const { head, picks, amplitudes } = PARTS;

/** The parts in which a table's objects stand, and what tells which of them are preferred. */
const PARTS_OF: Readonly<Record<BulletinTable, readonly PartNumber[]>> = {
  origins: [head],
  magnitudes: [head],
  focal_mechanisms: [head],
  picks: [head, picks],
  arrivals: [head, picks],
  amplitudes: [head, amplitudes],
  station_magnitudes: [head, amplitudes],
};

/** The row of an event with what a table needs of its bulletin. */
export function tableRowOf(
  version: ResolvedVersion,
  eventId: string,
  table: BulletinTable,
): FragmentSqlToken {
  return sql.fragment`
    select ${EVENT_COLUMNS}, ${tableColumn(table)} from ${eventsShown(version)}
    where ${visibleAt(version)} and event_id = ${uuidOrNull(eventId)}::uuid`;
}
