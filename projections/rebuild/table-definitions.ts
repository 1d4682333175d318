import { escapeIdentifier } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import type { Statements } from "#infra/postgres/statements.ts";
import type { ProjectedTable } from "../engine/projection.ts";
import { LIVE_SCHEMA } from "../engine/read-model-schema.ts";

/** The definition of a live table, in PostgreSQL's own words. */
export type TableDefinition = {
  readonly name: string;
  /** Name, type, nullability and default of every column. */
  readonly columns: readonly string[];
  /** Keys and checks, on which writes rely, each as `add constraint …`. */
  readonly constraints: readonly string[];
  /** Indexes without a constraint by which events that are applied find rows, each as `create [unique] index …`. */
  readonly writeIndexes: readonly Made[];
  /** Those on which readers alone rely. */
  readonly indexes: readonly Made[];
  readonly statistics: readonly Made[];
};

/** A named object of the schema and the statement that creates it there. */
const Made = z.object({ name: z.string(), text: z.string() });
export type Made = z.infer<typeof Made>;

const Text = z.object({ text: z.string() });

/** The definitions of a projection's live tables, in the given order. */
export async function readDefinitions(
  database: Pick<Statements, "any">,
  tables: readonly ProjectedTable[],
): Promise<TableDefinition[]> {
  const definitions: TableDefinition[] = [];
  for (const table of tables) definitions.push(await readDefinition(database, table));
  return definitions;
}

async function readDefinition(
  database: Pick<Statements, "any">,
  { name, foundBy = [] }: ProjectedTable,
): Promise<TableDefinition> {
  const table = sql.fragment`${`${LIVE_SCHEMA}.${escapeIdentifier(name)}`}::text::regclass`;
  const columns = await database.any(sql.type(Text)`
    select concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull,
      pg_get_expr(adbin, adrelid)) as text
    from pg_attribute a left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
    where attrelid = ${table} and attnum > 0 and not attisdropped order by attnum`);
  const constraints = await database.any(sql.type(Text)`
    select format('add constraint %I %s', conname, pg_get_constraintdef(oid)) as text
    from pg_constraint where conrelid = ${table} and contype in ('p', 'u', 'c', 'x')
    order by conname`);
  const indexes = await database.any(sql.type(Made)`
    select c.relname as name, pg_get_indexdef(c.oid) as text
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = ${table}
      and not exists (select from pg_constraint where conindid = i.indexrelid)
    order by c.relname`);
  const statistics = await database.any(sql.type(Made)`
    select stxname as name, pg_get_statisticsobjdef(oid) as text
    from pg_statistic_ext where stxrelid = ${table} order by stxname`);
  return {
    name,
    columns: columns.map(({ text }) => text),
    constraints: constraints.map(({ text }) => text),
    writeIndexes: indexes.filter((index) => foundBy.includes(index.name)),
    indexes: indexes.filter((index) => !foundBy.includes(index.name)),
    statistics,
  };
}

/** The statement that creates the object in another schema. */
export function madeIn(schema: string, { text }: Made): string {
  return text.replaceAll(`${LIVE_SCHEMA}.`, `${escapeIdentifier(schema)}.`);
}
