import { randomBytes } from "node:crypto";
import { Client, escapeIdentifier } from "pg";
import { migrate } from "#infra/postgres/migrations/migrate.ts";

export function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

export function uniqueDatabaseName(): string {
  return `test_${randomBytes(8).toString("hex")}`;
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export type Template = {
  readonly outcome: { name: string } | { failure: string };
  drop(): Promise<void>;
};

/**
 * A migrated database to copy test databases from. A migration that fails is reported by the tests
 * that need the schema, not by those that do not.
 */
export async function createTemplate(url: string): Promise<Template> {
  const name = uniqueDatabaseName();
  const identifier = escapeIdentifier(name);
  await withClient(url, (client) => client.query(`create database ${identifier}`));
  const failure = await migrate(withDatabase(url, name)).then(
    () => null,
    (error: unknown) => String(error instanceof Error ? (error.cause ?? error) : error),
  );
  return {
    outcome: failure === null ? { name } : { failure },
    drop: async () => {
      await withClient(url, (client) =>
        client.query(`drop database if exists ${identifier} with (force)`),
      );
    },
  };
}
