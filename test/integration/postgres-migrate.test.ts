import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { MigrationRefused, migrate } from "#infra/postgres/migrations/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

let database: TestDatabase;
let directory: string;

beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  directory = await temporaryDirectory();
  await write("0001-first.sql", "create table first (\n  id integer\n)");
  return () => database.drop();
});

function write(name: string, text: string): Promise<void> {
  return writeFile(join(directory, name), text);
}

async function applied(): Promise<string[]> {
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ name: string }>("select name from schema_migrations order by number"),
  );
  return rows.map(({ name }) => name);
}

it("applies what is new, in order, and nothing twice, also of processes that start at the same moment", async () => {
  const processes = () =>
    Promise.all(Array.from({ length: 5 }, () => migrate(database.url, { directory })));
  await processes();
  expect(await applied()).toEqual(["0001-first"]);
  await write("0002-second.sql", "alter table first add column name text");
  await processes();
  await migrate(database.url, { directory });
  expect(await applied()).toEqual(["0001-first", "0002-second"]);
});

it("refuses applied files that have changed but for their line ends, files with gaps, and a database that is newer than the code", async () => {
  await migrate(database.url, { directory });
  const older = { directory: await temporaryDirectory() };
  const newer = /newer than this version: it has 0001-first/;
  await expect(migrate(database.url, older)).rejects.toThrow(newer);
  await write("0001-first.sql", "create table first (\r\n  id integer\r\n)");
  await expect(migrate(database.url, { directory })).resolves.toBeUndefined();
  await write("0003-third.sql", "select 1");
  await expect(migrate(database.url, { directory })).rejects.toThrow(MigrationRefused);
  await write("0002-second.sql", "select 1");
  await write("0001-first.sql", "create table other (id integer)");
  await expect(migrate(database.url, { directory })).rejects.toThrow(MigrationRefused);
  expect(await applied()).toEqual(["0001-first"]);
});

it("leaves nothing of a migration that fails, and keeps those before it", async () => {
  await write("0002-broken.sql", "create table second (id integer); select missing()");
  const failing = migrate(database.url, { directory });
  await expect(failing).rejects.toThrow("migration 0002-broken failed");
  expect(await applied()).toEqual(["0001-first"]);
  await write("0002-broken.sql", "create table second (id integer)");
  await migrate(database.url, { directory });
  expect(await applied()).toEqual(["0001-first", "0002-broken"]);
});
