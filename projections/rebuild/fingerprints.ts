import { createHash } from "node:crypto";
import type { PoolClient } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { hasOwner, isGivenUp } from "../engine/left-rows.ts";
import type { ProjectedTable } from "../engine/projection.ts";

/** Number of rows and their hash (SHA-256 over the rows' keys and contents in order of the keys). */
export type TableFigures = { readonly rows: number; readonly hash: string };

type Fingerprint = { readonly key: string; readonly content: string };

export function fingerprints(
  client: PoolClient,
  schema: string,
  { name, key, owner, givenUp }: ProjectedTable,
) {
  const hash = createHash("sha256");
  let rows = 0;
  const { from, to } = givenUp ?? {};
  const isWritten =
    givenUp && from ? sql.fragment`not ${isGivenUp(givenUp, from, schema)}` : sql.fragment`true`;
  const row = givenUp && to ? asNotEnded(to, isGivenUp(givenUp, to, schema)) : sql.fragment`t`;
  // Ordered by bytes, as the keys are compared here: they are ASCII.
  const batches = copyRows(
    client,
    sql.fragment`
      select ${keyText(key)}, md5((${row})::text)
      from ${sql.identifier([schema, name])} t
      where ${owner ? hasOwner(owner, schema) : sql.fragment`true`} and ${isWritten}
      order by ${keyText(key)} collate "C"`,
  );
  async function* each(): AsyncGenerator<Fingerprint> {
    for await (const batch of batches) {
      for (const [id, content] of batch) yield { key: id ?? "", content: content ?? "" };
    }
  }
  const stream = each();
  return {
    /** The next row's fingerprint; null after the last. */
    async next(): Promise<Fingerprint | null> {
      const { done, value } = await stream.next();
      if (done) return null;
      rows += 1;
      hash.update(`${value.key}\t${value.content}\n`);
      return value;
    },
    figures: (): TableFigures => ({ rows, hash: hash.copy().digest("hex") }),
  };
}

/** The row `t` without its end where that is undone. */
function asNotEnded(to: string, isGivenUp: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`case
    when ${sql.identifier(["t", to])} is not null and ${isGivenUp}
    then jsonb_populate_record(t, jsonb_build_object(${to}::text, null)) else t end`;
}

/** SQL of the key of a row `t` as one text, with slashes as separators, which keys do not contain. */
export function keyText(columns: readonly string[]): FragmentSqlToken {
  const names = columns.map((column) => sql.identifier(["t", column]));
  return sql.fragment`concat_ws('/', ${sql.join(names, sql.fragment`, `)})`;
}
