import { setTimeout as delay } from "node:timers/promises";
import { type Client, DatabaseError, escapeIdentifier } from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { uniqueDatabaseName, withClient, withDatabase } from "./database-template.ts";

export type TestDatabase = {
  readonly url: string;
  /** Drops the database. @throws Error when the test has left a connection open */
  drop(): Promise<void>;
};

export type TestDatabaseOptions = {
  /** Without any schema: for tests of migrations and of plain PostgreSQL. */
  readonly empty?: boolean;
};

/** A closed connection is gone from the server a moment later than from the client. */
const DISCONNECT_MS = 2_000;
const INSUFFICIENT_PRIVILEGE = "42501";
/** Autovacuum of a test's largest table takes seconds beside other load. */
const VACUUM_MS = 30_000;

function templateName(): string {
  const template = inject("databaseTemplate");
  if ("failure" in template) throw new Error(`the schema does not migrate: ${template.failure}`);
  return template.name;
}

async function openConnections(client: Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ application_name: string; query: string }>(
    "select application_name, query from pg_stat_activity where datname = $1",
    [name],
  );
  return rows.map((row) => `${row.application_name}: ${row.query}`);
}

async function leakedConnections(client: Client, name: string): Promise<string[]> {
  const deadline = Date.now() + DISCONNECT_MS;
  let open = await openConnections(client, name);
  while (open.length > 0 && Date.now() < deadline) {
    await delay(20);
    open = await openConnections(client, name);
  }
  return open;
}

/** An autovacuum worker in the database, which an ordinary role may not end, ends by itself. */
async function drop(client: Client, name: string): Promise<void> {
  const deadline = Date.now() + VACUUM_MS;
  for (;;) {
    try {
      await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
      return;
    } catch (error) {
      const refused = error instanceof DatabaseError && error.code === INSUFFICIENT_PRIVILEGE;
      if (!refused || Date.now() > deadline) throw error;
    }
    await delay(20);
  }
}

async function dropDatabase(admin: string, name: string): Promise<void> {
  const leaked = await withClient(admin, async (client) => {
    const open = await leakedConnections(client, name);
    await drop(client, name);
    return open;
  });
  if (leaked.length > 0) throw new Error(`connections left open:\n${leaked.join("\n")}`);
}

/** A new database in the run's PostgreSQL, with the service's schema unless `empty`. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const admin = inject("databaseUrl");
  const name = uniqueDatabaseName();
  const template = options.empty ? "template1" : templateName();
  await withClient(admin, (client) =>
    client.query(
      `create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)}`,
    ),
  );
  return { url: withDatabase(admin, name), drop: () => dropDatabase(admin, name) };
}

/** A database for all tests of the calling file or `describe`; its URL is known once they run. */
export function useDatabase(options: TestDatabaseOptions = {}): { readonly url: string } {
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase(options);
  });
  afterAll(async () => {
    await database?.drop();
  });
  return {
    get url() {
      if (!database) throw new Error("the database is there only while tests run");
      return database.url;
    },
  };
}
