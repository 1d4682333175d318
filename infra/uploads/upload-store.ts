import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import type { Statements } from "../postgres/statements.ts";

/** The rows of an uploaded file, kept for some time for the user who sent it. */
export type KeptUpload = {
  /** The file's column names. */
  readonly headers: readonly string[];
  readonly rowCount: number;
  /** Number of pieces that hold the rows. */
  readonly pieces: number;
};

type Change = Pick<CommonQueryMethods, "query">;

const Kept = z.object({ headers: z.array(z.string()), rowCount: z.int(), pieces: z.int() });
const Piece = z.object({ rows: z.instanceof(Buffer) });

const LIFETIME = sql.fragment`interval '24 hours'`;
/** A user's uploads that are kept; a further one takes the place of the oldest. */
const KEPT_OF_USER = 4;
/** Pieces read by one statement: some megabytes. */
const AT_ONCE = 16;

/** Makes place for an upload; it is found once it is finished. */
export async function beginUpload(pool: Change, id: string, owner: string): Promise<void> {
  await pool.query(sql.unsafe`
    insert into operations.kept_uploads (id, owner) values (${id}::uuid, ${owner})`);
}

/** @param rows a zstd frame of a JSON list */
export async function addPiece(
  pool: Change,
  id: string,
  place: number,
  rows: Buffer,
): Promise<void> {
  await pool.query(sql.unsafe`
    insert into operations.kept_upload_pieces (upload, place, rows)
    values (${id}::uuid, ${place}, ${sql.binary(rows)})`);
}

/** The upload is found from now on; the owner's oldest beyond those that are kept are dropped. */
export async function finishUpload(
  pool: Change,
  id: string,
  { headers, rowCount, pieces }: KeptUpload,
): Promise<void> {
  await pool.query(sql.unsafe`
    update operations.kept_uploads
    set headers = ${JSON.stringify(headers)}, row_count = ${rowCount}, pieces = ${pieces}
    where id = ${id}::uuid`);
  await pool.query(sql.unsafe`
    delete from operations.kept_uploads where id in (
      select id from operations.kept_uploads
      where headers is not null
        and owner = (select owner from operations.kept_uploads where id = ${id}::uuid)
      order by created_at desc, id offset ${KEPT_OF_USER})`);
}

export async function dropUpload(pool: Change, id: string): Promise<void> {
  await pool.query(sql.unsafe`delete from operations.kept_uploads where id = ${id}::uuid`);
}

/** Drops what has expired, and what was never finished. */
export async function dropOldUploads(pool: Change): Promise<void> {
  await pool.query(sql.unsafe`
    delete from operations.kept_uploads where created_at < now() - ${LIFETIME}`);
}

/** Null where there is none, it has expired, or it is another user's. */
export function findUpload(
  { maybeOne }: Pick<Statements, "maybeOne">,
  id: string,
  owner: string,
): Promise<KeptUpload | null> {
  return maybeOne(sql.type(Kept)`
    select headers, row_count as "rowCount", pieces from operations.kept_uploads
    where id = ${id}::uuid and owner = ${owner} and headers is not null
      and created_at >= now() - ${LIFETIME}`);
}

/** The pieces in order: fewer than the upload has when it was dropped meanwhile. */
export async function readPieces(
  { any }: Pick<Statements, "any">,
  id: string,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  for (;;) {
    const read = await any(sql.type(Piece)`
      select rows from operations.kept_upload_pieces
      where upload = ${id}::uuid and place >= ${pieces.length} order by place limit ${AT_ONCE}`);
    pieces.push(...read.map(({ rows }) => rows));
    if (read.length < AT_ONCE) return pieces;
  }
}
