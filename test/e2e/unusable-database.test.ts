import { escapeIdentifier } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { NotStarted, startServiceProcess } from "../support/service-process.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";

/** What a start on a new database that `change` was run on says, line by line, before it fails. */
async function saidOf(change: (name: string) => string): Promise<string[]> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const name = escapeIdentifier(new URL(database.url).pathname.slice(1));
  await withClient(database.url, (client) => client.query(change(name)));
  const failure = await startServiceProcess({
    DATABASE_URL: database.url,
    PUBLIC_BASE_URL: "http://quakes.example.org",
    JWT_SECRET: "a secret of these tests alone, 32 long",
  }).catch((error: unknown) => error);
  if (!(failure instanceof NotStarted)) throw new Error("the service has started");
  expect(failure.exitCode).toBe(1);
  return failure.output.split("\n");
}

test("a database that a later version has migrated is refused in one line", async () => {
  const said = await saidOf(
    () => "insert into schema_migrations (number, name, sha256) values (9999, '9999-later', '')",
  );
  expect(said).toEqual([
    "DATABASE_URL cannot be used: the database is newer than this version: it has 9999-later",
  ]);
});

test("a PostgreSQL older than 17 is refused in one line that tells both versions", async () => {
  // The database answers the question for its version as an older server would.
  const said = await saidOf(
    (name) => `
      create schema older;
      create function older.current_setting(setting text) returns text language sql as $$
        select case setting when 'server_version_num' then '160004' else '16.4 (Debian)' end $$;
      alter database ${name} set search_path = older, pg_catalog, public`,
  );
  expect(said).toEqual([
    "DATABASE_URL cannot be used: the server is PostgreSQL 16.4 (Debian), and 17 or later is needed",
  ]);
});

test("a database whose disk is full is refused in one line", async () => {
  // What is written at every start is answered as by a server that has no room for it.
  const said = await saidOf(
    () => `
      create function no_room() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
      create trigger no_room before insert on vault.role_definitions
        for each row execute function no_room()`,
  );
  expect(said.filter((line) => !line.startsWith("{"))).toEqual([
    "DATABASE_URL cannot be used: the disk of the database is full (ENOSPC)",
  ]);
});

test("a start waits for a database that does not answer yet", async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  let connections = 0;
  const relay = await startTcpRelay(() => {
    connections += 1;
    return Number(new URL(database.url).port);
  });
  onTestFinished(relay.close);
  const goOn = relay.stall();
  const url = new URL(database.url);
  url.port = String(relay.port);
  const starting = startServiceProcess({
    DATABASE_URL: url.href,
    PUBLIC_BASE_URL: "http://quakes.example.org",
    JWT_SECRET: "a secret of these tests alone, 32 long",
  });
  const isTriedAgain = expect.poll(() => connections, { timeout: 60_000 }).toBeGreaterThan(1);
  await Promise.race([isTriedAgain, starting]);
  goOn();
  const service = await starting;
  expect(service.output()).toContain("the database does not answer yet: it is tried again");
  expect(await service.stop()).toBe(0);
});
