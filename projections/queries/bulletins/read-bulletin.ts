import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { PARTS, type PartNumber, unpacking } from "#infra/bulletins/packed-bulletin.ts";
import { inTurns } from "#infra/kernel/steps.ts";
import { uuidOrNull } from "../sql-values.ts";

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
  pool: Pick<CommonQueryMethods, "any">,
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
  pool: Pick<CommonQueryMethods, "any">,
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
    where e.event_id = ${uuidOrNull(eventId)}::uuid and ${rowsAt(key, version)}
      and b.part = any(${sql.array([...parts], "int4")})
    order by b.part, b.piece`);
  return pieces.length === 0 ? null : pieces;
}

function rowsAt(key: FragmentSqlToken, version: number): FragmentSqlToken {
  return sql.fragment`e.catalogue_key = ${key} and e.revision_from <= ${version}
    and (e.revision_to is null or e.revision_to > ${version})`;
}
