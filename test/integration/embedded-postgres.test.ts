import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { withClient } from "../support/database-template.ts";
import { startForTest } from "../support/embedded-server.ts";
import { silentLogger } from "../support/logger.ts";
import { preparedDataDir } from "../support/prepared-data-dir.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

async function one(url: string, query: string): Promise<Record<string, unknown> | undefined> {
  const { rows } = await withClient(url, (client) => client.query(query));
  return rows[0];
}

describe("the embedded PostgreSQL", () => {
  test("the embedded PostgreSQL gives an ordinary role a UTF-8 database of its own, durable and in UTC", async () => {
    const { url } = await startForTest(join(await temporaryDirectory(), "data"));
    const settings = ["fsync", "synchronous_commit", "full_page_writes", "timezone"];
    const values = settings.map((name) => `current_setting('${name}') as ${name}`).join(", ");
    expect(await one(url, `select ${values}`)).toEqual({
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      timezone: "UTC",
    });
    expect(
      await one(
        url,
        `select current_user as role, usesuper, datname, datlocale,
                pg_encoding_to_char(encoding) as encoding
         from pg_database join pg_user on usename = current_user
         where datname = current_database()`,
      ),
    ).toEqual({
      role: "earthquakes",
      usesuper: false,
      datname: "earthquakes",
      datlocale: "C.UTF-8",
      encoding: "UTF8",
    });
  });

  test("the embedded PostgreSQL listens on loopback only and wants the password that is kept with mode 0600", async () => {
    const dataDir = await temporaryDirectory();
    const { url } = await startForTest(dataDir);
    expect(await one(url, "show listen_addresses")).toEqual({ listen_addresses: "127.0.0.1" });
    expect((await stat(join(dataDir, "postgres-password"))).mode & 0o777).toBe(0o600);
    const wrong = new URL(url);
    wrong.password = "guessed";
    await expect(one(wrong.href, "select 1")).rejects.toThrow("password authentication failed");
  });

  test("the embedded PostgreSQL writes nothing of a row that it refuses into its log", async () => {
    const dataDir = await preparedDataDir();
    const { url } = await startForTest(dataDir);
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
  });

  test("the embedded PostgreSQL keeps the data over a stop and a start", async () => {
    const dataDir = await preparedDataDir();
    const first = await startForTest(dataDir);
    await one(first.url, "create table kept as select 42 as answer");
    await first.stop();
    await first.stop();
    await expect(one(first.url, "select 1")).rejects.toThrow("ECONNREFUSED");
    const second = await startForTest(dataDir);
    expect(await one(second.url, "select answer from kept")).toEqual({ answer: 42 });
  });

  test("the embedded PostgreSQL clears away what an interrupted first start has left", async () => {
    const dataDir = await temporaryDirectory();
    await mkdir(join(dataDir, "postgres-unfinished-x1/base"), { recursive: true });
    await writeFile(join(dataDir, "postgres-unfinished-x1.password"), "secret");
    await startForTest(dataDir);
    expect((await readdir(dataDir)).sort()).toEqual(["postgres", "postgres-password"]);
  });

  test("the embedded PostgreSQL refuses a cluster whose password is lost", async () => {
    const dataDir = await preparedDataDir();
    await rm(join(dataDir, "postgres-password"));
    const start = startEmbeddedPostgres({ dataDir, log: silentLogger() });
    await expect(start).rejects.toThrow("postgres-password is missing");
  });

  test("the embedded PostgreSQL refuses a cluster of another major version", async () => {
    const dataDir = await temporaryDirectory();
    await mkdir(join(dataDir, "postgres"));
    await writeFile(join(dataDir, "postgres/PG_VERSION"), "17\n");
    const start = startEmbeddedPostgres({ dataDir, log: silentLogger() });
    await expect(start).rejects.toThrow("made by PostgreSQL 17");
  });

  test.each(['da"ta', "da$(id)ta", "da`id`ta"])(
    "the embedded PostgreSQL refuses the DATA_DIR %s",
    async (name) => {
      const dataDir = join(await temporaryDirectory(), name);
      const start = startEmbeddedPostgres({ dataDir, log: silentLogger() });
      await expect(start).rejects.toThrow("DATA_DIR may not contain");
    },
  );

  test.each(["da ta", "da'ta; données"])(
    "the embedded PostgreSQL works in the DATA_DIR %s",
    async (name) => {
      const { url } = await startForTest(join(await temporaryDirectory(), name));
      expect(await one(url, "select 1 as one")).toEqual({ one: 1 });
    },
  );
});
