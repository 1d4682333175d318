import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { BulletinTable } from "#contracts/bulletin/tables.ts";
import { PARTS, type PartNumber, unpacking } from "#infra/bulletins/packed-bulletin.ts";
import { inTurns } from "#infra/kernel/iteration.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import { copyWithBulletins } from "./edits.ts";
import { uuidOrNull } from "./lists.ts";
import {
  bulletinColumn,
  EVENT_COLUMNS,
  eventsShown,
  type ResolvedVersion,
  type VersionRows,
  visibleAt,
} from "./versions.ts";

const ALL: readonly PartNumber[] = Object.values(PARTS);

const Piece = z.object({ part: z.int(), bytes: z.instanceof(Uint8Array) });

/** Which rows of read_model.bulletins, as `b`, are of a row of read_model.seismic_events, as `e`. */
export const OF_EVENT: FragmentSqlToken = sql.fragment`
  b.catalogue_key = e.catalogue_key and b.event_id = e.event_id
  and b.revision = e.bulletin_revision`;

/**
 * The bulletin of an event in a version; null where the event has none, or is not there.
 * @param parts the parts to read, among them the head: the rest of the bulletin is absent
 * @throws CorruptBulletin
 */
export async function readBulletin(
  pool: Pick<Statements, "any">,
  catalogueId: string,
  eventId: string,
  version: number,
  parts: readonly PartNumber[] = ALL,
): Promise<Bulletin | null> {
  const pieces = await readPieces(pool, catalogueId, eventId, version, parts);
  return pieces === null ? null : inTurns(unpacking(pieces));
}

/** The same as it is stored, for a thread that unpacks it. */
export async function readPieces(
  pool: Pick<Statements, "any">,
  catalogueId: string,
  eventId: string,
  version: number,
  parts: readonly PartNumber[] = ALL,
): Promise<readonly z.output<typeof Piece>[] | null> {
  const key = sql.fragment`
    (select key from read_model.catalogues where id = ${uuidOrNull(catalogueId)}::uuid)`;
  const pieces = await pool.any(sql.type(Piece)`
    select b.part, b.bytes
    from read_model.seismic_events e join read_model.bulletins b on ${OF_EVENT}
    where e.event_id = ${uuidOrNull(eventId)}::uuid and e.catalogue_key = ${key}
      and e.revision_from <= ${version} and (e.revision_to is null or e.revision_to > ${version})
      and b.part = any(${sql.array([...parts], "int4")})
    order by b.part, b.piece`);
  return pieces.length === 0 ? null : pieces;
}

/**
 * The bulletin of an event of a version, null without one.
 * @param client a connection of the caller
 * @throws CorruptBulletin
 */
export async function copyBulletin(client: ClientBase, version: VersionRows, eventId: string) {
  let found: Bulletin | null = null;
  // Read to its end: the connection stays usable.
  for await (const { bulletin } of copyWithBulletins(client, version, [eventId])) found = bulletin;
  return found;
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
export function tableRowOf(version: ResolvedVersion, eventId: string, table: BulletinTable) {
  return sql.fragment`
    select ${EVENT_COLUMNS}, ${tableColumn(table)} from ${eventsShown(version)}
    where ${visibleAt(version)} and event_id = ${uuidOrNull(eventId)}::uuid`;
}
