/** What lists have in common: pages, the texts of cursors, ids of a request. */

import { createHash } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";

export type ListRequest = { readonly limit: number; readonly cursor?: string | undefined };

/** A part of a list, and the cursor of what follows it. */
export type ListPage<T> = { readonly rows: readonly T[]; readonly nextCursor: string | null };

type LongList<T, K> = {
  /** Its name, and that of what it belongs to. */
  readonly name: string;
  /** The key of a row in the order of the list, which no later change moves. */
  readonly key: z.ZodType<K>;
  readonly keyOf: (row: T) => K;
  /** The first rows after a key, or of all. */
  readonly read: (after: K | null, limit: number) => Promise<readonly T[]>;
  /** How many of the first rows one answer has room for, below 0 for all; absent where a row is small. */
  readonly fitting?: (rows: readonly T[]) => number;
};

/**
 * A page of a list: it begins after the last row of the one before, whose key the cursor has.
 * @throws Refusal INVALID_CURSOR for a cursor of another list
 */
export async function readListPage<T, K>(
  { name, key, keyOf, read, fitting = () => -1 }: LongList<T, K>,
  { limit, cursor }: ListRequest,
): Promise<ListPage<T>> {
  // Its name comes first: a key is of its list's type only then.
  const Cursor = z.tuple([z.literal(name), key]);
  const after = cursor === undefined ? null : (fromCursorText(cursor, Cursor)[1] as K);
  const rows = await read(after, limit + 1);
  const room = fitting(rows);
  const page = rows.slice(0, room < 0 ? limit : Math.min(room, limit));
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const nextCursor = last === undefined ? null : toCursorText([name, keyOf(last)]);
  return { rows: page, nextCursor };
}

/** The key of lists in order of creation, newest first, then of ids. */
export const CreatedKey = z.strictObject({
  created_at: z.iso.datetime({ precision: 3 }),
  id: z.string().regex(/^[\w-]+$/),
});
export type CreatedKey = z.infer<typeof CreatedKey>;

/** The same of rows whose ids are UUIDs. */
export const CreatedUuidKey = CreatedKey.extend({ id: z.uuid() });

export function createdKeyOf({ created_at, id }: CreatedKey): CreatedKey {
  return { created_at, id };
}

/** Whether a table's row comes after a key, if there is one. */
export function createdBefore(table: string, key: CreatedKey | null): FragmentSqlToken {
  if (key === null) return sql.fragment`true`;
  const createdAt = sql.identifier([table, "created_at"]);
  const id = sql.identifier([table, "id"]);
  return sql.fragment`(${createdAt}, ${id}) < (${key.created_at}::timestamptz, ${key.id})`;
}

const CHECK_BYTES = 6;

/** A longer JSON, as of a polygon among filters, is compressed, since a cursor is a part of addresses. */
const MAX_PLAIN_BYTES = 1_000;
/** As long as a cursor may become when it is read: many times a polygon of all its vertices. */
const MAX_BYTES = 256 * 1024;
/** No JSON begins with it (RFC 1950, 2.2). */
const ZLIB = 0x78;

/** A cursor for clients: base64url of a checksum and the cursor's JSON, which may be compressed by zlib. */
export function toCursorText(cursor: object): string {
  const json = Buffer.from(JSON.stringify(cursor));
  const bytes = json.length <= MAX_PLAIN_BYTES ? json : deflateSync(json);
  return Buffer.concat([checksum(bytes), bytes]).toString("base64url");
}

/**
 * Decodes a client's cursor. The checksum detects truncated and modified texts; a cursor holds no
 * secrets and grants no access, so it needs no signature.
 * @throws Refusal INVALID_CURSOR
 */
export function fromCursorText<S extends z.ZodType>(text: string, schema: S): z.output<S> {
  const bytes = Buffer.from(text, "base64url");
  const packed = bytes.subarray(CHECK_BYTES);
  const isWhole = bytes.toString("base64url") === text;
  if (!isWhole || !checksum(packed).equals(bytes.subarray(0, CHECK_BYTES))) throw invalidCursor();
  try {
    const isPlain = packed[0] !== ZLIB;
    const json = isPlain ? packed : inflateSync(packed, { maxOutputLength: MAX_BYTES });
    return schema.parse(JSON.parse(json.toString("utf8")));
  } catch {
    throw invalidCursor();
  }
}

export function invalidCursor(reason = "The cursor is not valid for this request"): Refusal {
  return new Refusal("INVALID_CURSOR", reason);
}

function checksum(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest().subarray(0, CHECK_BYTES);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id; null if it is not a UUID, which then equals no id instead of failing in the database. */
export function uuidOrNull(id: string): string | null {
  return UUID.test(id) ? id : null;
}
