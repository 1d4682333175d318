import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { useDatabase } from "../../support/database.ts";
import { withClient } from "../../support/database-template.ts";

const database = useDatabase();
const PROJECTIONS = new URL("../../../projections/", import.meta.url).pathname;

/** Tables that belong to all projections, by rows. */
const SHARED = ["checkpoints", "parked_events"];

test("every table of the read model belongs to one projection, which names its primary key", async () => {
  const keys = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ name: string; key: string[] }>(
      `select t.relname as name, array_agg(a.attname::text order by k.place) as key
       from pg_class t
       join pg_index i on i.indrelid = t.oid and i.indisprimary
       cross join unnest(i.indkey) with ordinality k (attnum, place)
       join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
       where t.relnamespace = 'read_model'::regnamespace and t.relname <> all($1)
       group by t.relname order by t.relname`,
      [SHARED],
    );
    return rows;
  });
  const named = ALL_PROJECTIONS.flatMap(({ tables }) => tables).map(({ name, key }) => ({
    name,
    key,
  }));
  expect(named.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(keys);
});

test("the indexes by which a projection finds rows are there", async () => {
  const named = ALL_PROJECTIONS.flatMap(({ tables }) =>
    tables.flatMap(({ foundBy = [] }) => foundBy),
  );
  const present = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select indexname as name from pg_indexes where schemaname = 'read_model'",
    );
    return rows.map(({ name }) => name);
  });
  expect(named.length).toBeGreaterThan(0);
  expect(present).toEqual(expect.arrayContaining(named));
});

test("projections write to tables by their bare names, so that they can be rebuilt aside", async () => {
  const files = (await readdir(PROJECTIONS, { recursive: true })).filter(
    (file) => file.endsWith(".ts") && !file.startsWith("queries/") && !file.startsWith("rebuild/"),
  );
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(PROJECTIONS, file), "utf8") })),
  );
  const writers = texts.filter(({ text }) => /\b(insert into|update|delete from|copy) /.test(text));
  expect(writers.length).toBeGreaterThan(4);
  expect(writers.filter(({ text }) => text.includes("read_model."))).toEqual([]);
});
