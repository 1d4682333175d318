import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { withClient } from "../support/database-template.ts";
import { startForTest } from "../support/embedded-server.ts";
import { silentLogger } from "../support/logger.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

async function one(url: string, query: string): Promise<Record<string, unknown> | undefined> {
  const { rows } = await withClient(url, (client) => client.query(query));
  return rows[0];
}

const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, log: silentLogger() });

test("the embedded PostgreSQL of a DATA_DIR of any name is private, durable, tells nothing of rows, and keeps its data", async () => {
  const dataDir = join(await temporaryDirectory(), "da ta'; données");
  // What an interrupted first start has left.
  await mkdir(join(dataDir, "postgres-unfinished-x1/base"), { recursive: true });
  await writeFile(join(dataDir, "postgres-unfinished-x1.password"), "secret");
  const { url, stop } = await startForTest(dataDir);
  expect((await readdir(dataDir)).sort()).toEqual(["postgres", "postgres-password"]);

  const settings = ["fsync", "synchronous_commit", "full_page_writes", "timezone"];
  const names = [...settings, "listen_addresses"];
  const values = names.map((name) => `current_setting('${name}') as ${name}`).join(", ");
  expect(await one(url, `select ${values}`)).toEqual({
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    timezone: "UTC",
    listen_addresses: "127.0.0.1",
  });
  const facts = `select current_user as role, usesuper, datname, datlocale,
      pg_encoding_to_char(encoding) as encoding
    from pg_database join pg_user on usename = current_user where datname = current_database()`;
  expect(await one(url, facts)).toEqual({
    role: "earthquakes",
    usesuper: false,
    datname: "earthquakes",
    datlocale: "C.UTF-8",
    encoding: "UTF8",
  });
  expect((await stat(join(dataDir, "postgres-password"))).mode & 0o777).toBe(0o600);
  const wrong = new URL(url);
  wrong.password = "guessed";
  await expect(one(wrong.href, "select 1")).rejects.toThrow("password authentication failed");

  await withClient(url, async (client) => {
    await client.query("create table people (email text primary key, name text not null)");
    const insert = "insert into people values ($1, $2)";
    await client.query(insert, ["secret@example.org", "Ana"]);
    for (const name of ["Ana", null]) {
      await expect(client.query(insert, ["secret@example.org", name])).rejects.toThrow();
    }
  });
  const log = await readFile(join(dataDir, "postgres", "server.log"), "utf8");
  expect(log).toContain("people_pkey");
  expect(log).not.toContain("secret@example.org");

  await stop();
  await stop();
  await expect(one(url, "select 1")).rejects.toThrow("ECONNREFUSED");
  const again = await startForTest(dataDir);
  expect(await one(again.url, "select name from people")).toEqual({ name: "Ana" });
  await again.stop();
  await rm(join(dataDir, "postgres-password"));
  await expect(start(dataDir)).rejects.toThrow("postgres-password is missing");
});

test("the embedded PostgreSQL refuses a cluster of another major version, and names that a shell would read", async () => {
  const dataDir = await temporaryDirectory();
  for (const name of ['da"ta', "da$(id)ta", "da`id`ta"]) {
    await expect(start(join(dataDir, name)), name).rejects.toThrow("DATA_DIR may not contain");
  }
  await mkdir(join(dataDir, "postgres"));
  await writeFile(join(dataDir, "postgres/PG_VERSION"), "17\n");
  await expect(start(dataDir)).rejects.toThrow("made by PostgreSQL 17");
});
