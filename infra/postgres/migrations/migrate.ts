import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client, ClientBase } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { connectionUrl, type Log, PrimaryClient, SILENT } from "../connection.ts";
import { statementsOn } from "../statements.ts";

/** The schema and the code do not match; nothing was changed. */
export class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
}

type Migration = { number: number; name: string; sha256: string; text: string };

const Applied = z.object({ name: z.string(), sha256: z.string() });
type Applied = z.infer<typeof Applied>;

export type MigrateOptions = {
  readonly log?: Log;
  readonly directory?: string;
  /** Number of migrations to apply; all by default. */
  readonly upTo?: number;
};

const DIRECTORY = import.meta.dirname;

/** Any fixed number: concurrent starts on one database wait for each other. */
const LOCK_KEY = 7_301_842_655_091_233n;

/**
 * Brings the database to the newest schema: applies the numbered files of `directory` that are not
 * in schema_migrations, each in its own transaction.
 * @throws MigrationRefused when an applied file was changed or the database is newer; PostgresTooOld
 */
export async function migrate(
  url: string,
  { log = SILENT, directory = DIRECTORY, upTo }: MigrateOptions = {},
): Promise<void> {
  const migrations = (await readMigrations(directory)).slice(0, upTo);
  const client = new PrimaryClient({ connectionString: connectionUrl(url, "migrate") });
  await client.connect();
  try {
    await requireServerVersion(client);
    await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
    await makeTable(client);
    const applied = await appliedMigrations(client);
    refuseMismatch(migrations, applied);
    const missing = migrations.slice(applied.length);
    for (const migration of missing) await apply(client, migration);
    const newest = missing.at(-1)?.name;
    if (newest) log.info({ newest }, `${missing.length} migrations applied`);
  } finally {
    await client.end();
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sql")).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const number = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]);
      if (number !== index + 1) {
        throw new MigrationRefused(`migrations are not numbered without gaps at ${file}`);
      }
      const text = (await readFile(join(directory, file), "utf8")).replaceAll("\r\n", "\n");
      const sha256 = createHash("sha256").update(text).digest("hex");
      return { number, name: file.slice(0, -".sql".length), sha256, text };
    }),
  );
}

async function makeTable(client: Client): Promise<void> {
  await statementsOn(client).run(sql.unsafe`
    create table if not exists schema_migrations (
      number integer primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default clock_timestamp()
    )`);
}

/** The migrations applied to a database, in order. */
export function appliedMigrations(client: ClientBase): Promise<readonly Applied[]> {
  return statementsOn(client).any(sql.type(Applied)`
    select name, sha256 from schema_migrations order by number`);
}

function refuseMismatch(migrations: readonly Migration[], applied: readonly Applied[]): void {
  for (const [index, { name, sha256 }] of applied.entries()) {
    const migration = migrations[index];
    if (migration === undefined) {
      throw new MigrationRefused(`the database is newer than this version: it has ${name}`);
    }
    if (migration.name !== name || migration.sha256 !== sha256) {
      throw new MigrationRefused(`migration ${name} has changed since it was applied`);
    }
  }
}

async function apply(client: Client, { number, name, sha256, text }: Migration): Promise<void> {
  await client.query("begin");
  try {
    await client.query(text);
    await statementsOn(client).run(sql.unsafe`
      insert into schema_migrations (number, name, sha256) values (${number}, ${name}, ${sha256})`);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`migration ${name} failed`, { cause: error });
  }
}

/** The oldest major version that the service's SQL supports. */
const OLDEST = 17;

/** The server's version is too old for the service's SQL; nothing was changed. */
export class PostgresTooOld extends Error {
  override readonly name = "PostgresTooOld";
}

const Version = z.object({ number: z.int(), name: z.string() });

/** @throws PostgresTooOld */
async function requireServerVersion(client: ClientBase): Promise<void> {
  const { number, name } = await statementsOn(client).one(sql.type(Version)`
    select current_setting('server_version_num')::integer as number,
      current_setting('server_version') as name`);
  if (number >= OLDEST * 10_000) return;
  throw new PostgresTooOld(`the server is PostgreSQL ${name}, and ${OLDEST} or later is needed`);
}
