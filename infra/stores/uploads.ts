import { DatabaseError } from "pg";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { DATE_ORDERS } from "#contracts/seismic-event/written-times.ts";
import type { FileReaderOptions } from "../formats/files/file-reader.ts";
import type { ReadResult } from "../formats/format-reader.ts";
import type { Statements } from "../postgres/statements.ts";

/** An uploaded file, kept for some time for the user who sent it. */
export type KeptUpload = Omit<FileReaderOptions, "columns"> &
  Pick<ReadResult, "headers"> & {
    readonly members: readonly string[];
    readonly empty?: readonly string[] | undefined;
    /** Of the file as it was read. */
    readonly rowCount: number;
    /** Number of pieces that hold the file. */
    readonly pieces: number;
  };

/** The `Idempotency-Key` of an upload, and the hash of what came with it. */
export type UploadKey = { readonly key: string; readonly hash: Buffer };

type Change = Pick<CommonQueryMethods, "query" | "maybeOneFirst">;

const Reading = z.object({
  extension: z.string(),
  delimiter: z.enum(["auto", ",", "\t", ";", "|", " "]),
  dateOrder: z.enum(DATE_ORDERS).optional(),
  epoch: z.enum(["seconds", "mixed"]).optional(),
  depthUnit: z.enum(["m", "mixed"]).optional(),
  encoding: z.string().optional(),
  headers: z.array(z.string()),
  members: z.array(z.string()),
  empty: z.array(z.string()).optional(),
  rowCount: z.int(),
  pieces: z.int(),
});
const ReadingRow = z.object({ reading: Reading });
const Piece = z.object({ content: z.instanceof(Buffer) });
const Earlier = z.object({ id: z.string(), isSame: z.boolean() });
const Seconds = z.object({ seconds: z.int() });

const UNIQUE_VIOLATION = "23505";
const LIFETIME = sql.fragment`interval '24 hours'`;
/** What a user may keep, compressed: some dozens of the largest files. */
const KEPT_BYTES_OF_USER = 1024 * 1024 * 1024;
/** A small upload counts as this much, which limits their number to 16,384. */
const LEAST_BYTES = 64 * 1024;
/** Pieces read by one statement: some megabytes. */
const AT_ONCE = 16;

/**
 * How long a user must wait until one more upload can be kept, in seconds: 0 while what is kept is
 * within the limit, else until the oldest expires.
 */
export async function secondsUntilPlace({ maybeOneFirst }: Change, owner: string): Promise<number> {
  const seconds = await maybeOneFirst(sql.type(Seconds)`
    select greatest(1, ceil(extract(epoch from min(created_at) + ${LIFETIME} - now())))::integer as seconds
    from operations.kept_uploads
    where owner = ${owner} and created_at >= now() - ${LIFETIME}
    having sum(greatest(bytes, ${LEAST_BYTES})) >= ${KEPT_BYTES_OF_USER}`);
  return seconds ?? 0;
}

/** Makes place for an upload; it is found once it is finished. */
export async function beginUpload(pool: Change, id: string, owner: string): Promise<void> {
  await pool.query(sql.unsafe`
    insert into operations.kept_uploads (id, owner) values (${id}::uuid, ${owner})`);
}

/** @param content a zstd frame of the file's next bytes */
export async function addPiece(pool: Change, id: string, place: number, content: Buffer) {
  await pool.query(sql.unsafe`
    with added as (
      insert into operations.kept_upload_pieces (upload, place, content)
      values (${id}::uuid, ${place}, ${sql.binary(content)}))
    update operations.kept_uploads set bytes = bytes + ${content.length} where id = ${id}::uuid`);
}

/**
 * The upload is found from now on, unless the user has kept one under the same key already.
 * @returns the earlier one, and whether the same came with it; null without one
 */
export async function finishUpload(
  pool: Change & Pick<CommonQueryMethods, "maybeOne">,
  id: string,
  upload: KeptUpload,
  key: UploadKey | null,
): Promise<{ readonly id: string; readonly isSame: boolean } | null> {
  const finish = (and = sql.fragment``) =>
    pool.query(sql.unsafe`
    update operations.kept_uploads set reading = ${JSON.stringify(upload)} ${and}
    where id = ${id}::uuid`);
  if (key === null) {
    await finish();
    return null;
  }
  const hash = sql.binary(key.hash);
  // One of two at once waits for the other, by the unique index, and finds it.
  await pool.query(sql.unsafe`
    update operations.kept_uploads set key = null
    where owner = (select owner from operations.kept_uploads where id = ${id}::uuid)
      and key = ${key.key} and created_at < now() - ${LIFETIME}`);
  try {
    await finish(sql.fragment`, key = ${key.key}, hash = ${hash}`);
    return null;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== UNIQUE_VIOLATION) throw error;
  }
  return pool.maybeOne(sql.type(Earlier)`
    select id, hash = ${hash} as "isSame" from operations.kept_uploads
    where owner = (select owner from operations.kept_uploads where id = ${id}::uuid)
      and key = ${key.key}`);
}

export async function dropUpload(pool: Change, id: string): Promise<void> {
  await pool.query(sql.unsafe`delete from operations.kept_uploads where id = ${id}::uuid`);
}

/** Drops what has expired, and what was never finished. */
export async function dropOldUploads(pool: Pick<Change, "query">): Promise<void> {
  await pool.query(sql.unsafe`
    delete from operations.kept_uploads where created_at < now() - ${LIFETIME}`);
}

/** Null where there is none, it has expired, or it is another user's. */
export async function findUpload(
  { maybeOne }: Pick<Statements, "maybeOne">,
  id: string,
  owner: string,
): Promise<KeptUpload | null> {
  const row = await maybeOne(sql.type(ReadingRow)`
    select reading from operations.kept_uploads
    where id = ${id}::uuid and owner = ${owner} and reading is not null
      and created_at >= now() - ${LIFETIME}`);
  return row?.reading ?? null;
}

/** The pieces in order: fewer than the upload has when it was dropped meanwhile. */
export async function readPieces({ any }: Pick<Statements, "any">, id: string) {
  const pieces: Buffer[] = [];
  for (;;) {
    const rows = await any(sql.type(Piece)`
      select content from operations.kept_upload_pieces
      where upload = ${id}::uuid and place >= ${pieces.length} order by place limit ${AT_ONCE}`);
    pieces.push(...rows.map(({ content }) => content));
    if (rows.length < AT_ONCE) return pieces;
  }
}
