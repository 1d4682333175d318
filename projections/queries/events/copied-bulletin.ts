import { type FragmentSqlToken, sql } from "slonik";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { PARTS, type PartNumber } from "#infra/bulletins/bulletin-parts.ts";
import { type BulletinPiece, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";

/** As COPY writes bytes: `\x` and hexadecimal digits. */
const PREFIX = "\\x";

const PART_BYTES = 2;
const LENGTH_BYTES = 4;

/**
 * A column for queries on read_model.seismic_events: the pieces of the row's bulletin in one value, each
 * with its part (16 bits) and its length (32 bits) before it; null where there is none.
 * @param parts of it, among them the head
 * @param events the table's name in the query
 */
export function bulletinColumn(
  parts: readonly PartNumber[] = ALL,
  events = "seismic_events",
): FragmentSqlToken {
  const column = (name: string) => sql.identifier([events, name]);
  return sql.fragment`
    case when ${column("bulletin_revision")} is not null then (
      select string_agg(int2send(b.part) || int4send(length(b.bytes)) || b.bytes, ''::bytea
        order by b.part, b.piece)
      from read_model.bulletins b
      where b.catalogue_key = ${column("catalogue_key")} and b.event_id = ${column("event_id")}
        and b.revision = ${column("bulletin_revision")} ${onlyOf(parts)}) end`;
}

const ALL: readonly PartNumber[] = Object.values(PARTS);

function onlyOf(parts: readonly PartNumber[]): FragmentSqlToken {
  if (parts.length === ALL.length) return sql.fragment``;
  return sql.fragment`and b.part in (${sql.join(
    parts.map((part) => sql.fragment`${part}`),
    sql.fragment`, `,
  )})`;
}

/** The bulletin in a copied value of `bulletinColumn`. @throws CorruptBulletin */
export function readCopiedBulletin(text: string | null): Bulletin | null {
  if (text === null) return null;
  const bytes = Buffer.from(text.slice(PREFIX.length), "hex");
  const pieces: Pick<BulletinPiece, "part" | "bytes">[] = [];
  for (let from = 0; from < bytes.length; ) {
    const part = bytes.readInt16BE(from);
    const begin = from + PART_BYTES + LENGTH_BYTES;
    const end = begin + bytes.readInt32BE(from + PART_BYTES);
    pieces.push({ part, bytes: bytes.subarray(begin, end) });
    from = end;
  }
  return unpackBulletin(pieces);
}
