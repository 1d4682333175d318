import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { fromCursorText, toCursorText } from "./cursor-text.ts";

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
