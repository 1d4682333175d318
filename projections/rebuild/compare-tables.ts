import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { PoolClient } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { hasOwner, isGivenUp } from "../engine/left-rows.ts";
import type { ProjectedTable } from "../engine/projection.ts";
import { LIVE_SCHEMA } from "../engine/read-model-schema.ts";

/** A row that differs between both tables; `columns` are the differing ones if both have the row. */
type Difference = {
  readonly key: string;
  readonly kind: "missing" | "unexpected" | "different";
  readonly columns?: readonly string[];
};

export type TableComparison = {
  readonly table: string;
  readonly live: TableFigures;
  readonly rebuilt: TableFigures;
  /** The first differences, as seen from the live table. */
  readonly differences: readonly Difference[];
  /** The number of all differences. */
  readonly differing: number;
};

const MAX_DIFFERENCES = 20;

/** Compares a live table with its copy in another schema row by row; each side has its own connection. */
export async function compareTable(
  live: PoolClient,
  rebuilt: PoolClient,
  schema: string,
  table: ProjectedTable,
): Promise<TableComparison> {
  const [a, b] = [fingerprints(live, LIVE_SCHEMA, table), fingerprints(rebuilt, schema, table)];
  const differences: Difference[] = [];
  let differing = 0;
  const differ = (key: string, kind: Difference["kind"]): void => {
    differing += 1;
    if (differences.length < MAX_DIFFERENCES) differences.push({ key, kind });
  };
  let [mine, other] = [await a.next(), await b.next()];
  while (mine || other) {
    if (!other || (mine && mine.key < other.key)) {
      differ(mine?.key ?? "", "unexpected");
      mine = await a.next();
    } else if (!mine || other.key < mine.key) {
      differ(other.key, "missing");
      other = await b.next();
    } else {
      if (mine.content !== other.content) differ(mine.key, "different");
      [mine, other] = [await a.next(), await b.next()];
    }
  }
  const named: Difference[] = [];
  for (const difference of differences) {
    const { key, kind } = difference;
    const columns = () => differentColumns(live, rebuilt, schema, table, key);
    named.push(kind === "different" ? { ...difference, columns: await columns() } : difference);
  }
  return {
    table: table.name,
    live: a.figures(),
    rebuilt: b.figures(),
    differences: named,
    differing,
  };
}

const RowJson = z.object({ row: z.record(z.string(), z.unknown()) });

/** The names of the columns in which two rows with the same key differ, without their values. */
async function differentColumns(
  live: PoolClient,
  rebuilt: PoolClient,
  schema: string,
  table: ProjectedTable,
  key: string,
): Promise<string[]> {
  const mine = await rowOf(live, LIVE_SCHEMA, table, key);
  const other = await rowOf(rebuilt, schema, table, key);
  return Object.keys({ ...mine, ...other }).filter(
    (column) => !isDeepStrictEqual(mine[column], other[column]),
  );
}

async function rowOf(
  client: PoolClient,
  schema: string,
  { name, key: columns }: ProjectedTable,
  key: string,
): Promise<Record<string, unknown>> {
  const answer = await statementsOn(client).maybeOne(sql.type(RowJson)`
    select to_json(t) as row from ${sql.identifier([schema, name])} t
    where ${keyText(columns)} = ${key}`);
  return answer?.row ?? {};
}

/** Number of rows and their hash (SHA-256 over the rows' keys and contents in order of the keys). */
type TableFigures = { readonly rows: number; readonly hash: string };

type Fingerprint = { readonly key: string; readonly content: string };

function fingerprints(
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
function keyText(columns: readonly string[]): FragmentSqlToken {
  const names = columns.map((column) => sql.identifier(["t", column]));
  return sql.fragment`concat_ws('/', ${sql.join(names, sql.fragment`, `)})`;
}
