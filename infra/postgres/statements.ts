/**
 * Statements of slonik's tag over any connection: in a transaction, under a lock, for as long as
 * somebody asks.
 */

import { addAbortListener } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { type ClientBase, escapeLiteral, type Pool, type PoolClient } from "pg";
import {
  type CommonQueryMethods,
  type DatabasePool,
  type FragmentSqlToken,
  type QuerySqlToken,
  SchemaValidationError,
  sql,
} from "slonik";
import { z } from "zod";

type Value = FragmentSqlToken["values"][number];

/** Else a text stands between quotes as it is. */
const NEEDS_ESCAPES = /['\\]/;

const PLACEHOLDER = /\$slonik_(\d+)/g;

/** SQL from slonik's tag, with its values. */
export type SqlToken = Pick<FragmentSqlToken, "sql" | "values">;

/** The text of a statement with parameters `$1`, `$2`…, and their values. */
export function parameterSql({ sql, values }: SqlToken): { text: string; values: Value[] } {
  return { text: sql.replaceAll(PLACEHOLDER, "$$$1"), values: [...values] };
}

/** For COPY, which has no parameters: the driver quotes the literals, which have no type. */
export function literalSql({ sql, values }: SqlToken): string {
  return sql.replaceAll(PLACEHOLDER, (_, place: string) => literal(values[Number(place) - 1]));
}

function literal(value: Value | undefined): string {
  if (value === undefined) throw new RangeError("a placeholder has no value");
  if (value === null) return "null";
  if (Array.isArray(value)) return escapeLiteral(arrayText(value));
  if (Buffer.isBuffer(value)) return escapeLiteral(`\\x${value.toString("hex")}`);
  const text = String(value);
  // The driver goes through a text character by character, and shapes are long ones.
  return NEEDS_ESCAPES.test(text) ? escapeLiteral(text) : `'${text}'`;
}

/** An array in PostgreSQL's text form (manual, "Array Input and Output Syntax"). */
function arrayText(items: readonly unknown[]): string {
  const texts = items.map((item) =>
    item === null ? "null" : `"${String(item).replaceAll(/["\\]/g, String.raw`\$&`)}"`,
  );
  return `{${texts.join(",")}}`;
}

/** Statements of slonik's tag, as its pools have them, over any connection; rows are validated. */
export type Statements = Pick<CommonQueryMethods, "any" | "maybeOne" | "one">;
export type Lookups = Pick<Statements, "maybeOne">;

/** Statements whose rows `ask` fetches. */
export function createStatements(
  ask: (query: QuerySqlToken) => Promise<readonly Readonly<Record<string, never>>[]>,
): Statements {
  const any: Statements["any"] = async (query) => {
    const rows = await ask(query);
    return rows.map((row) => validRow(query.parser, query, row)) as never;
  };
  const maybeOne: Statements["maybeOne"] = async (query) => {
    const rows = await any(query);
    if (rows.length > 1) throw new Error("a lookup has found more than one row");
    return rows[0] ?? null;
  };
  return {
    any,
    maybeOne,
    async one(query) {
      const row = await maybeOne(query);
      if (row === null) throw new Error("a lookup has found no row");
      return row;
    },
  };
}

/** Statements that also change rows. */
export type ClientStatements = Statements & {
  /** Runs a statement. @returns the number of rows found or changed */
  readonly run: (query: QuerySqlToken) => Promise<number>;
};

/** What statements go over: a connection, or a pool. */
export type Connection = Pick<ClientBase, "query">;

/**
 * Statements on a pg connection: within a transaction, next to a COPY, or planned for the values that they have,
 * since they are not prepared.
 */
export function statementsOn(client: Connection): ClientStatements {
  const ask = (query: QuerySqlToken) => {
    const { name } = query;
    return client.query({ ...parameterSql(query), ...(name !== undefined && { name }) });
  };
  return {
    ...createStatements(async (query) => (await ask(query)).rows),
    run: async (query) => (await ask(query)).rowCount ?? 0,
  };
}

/**
 * A row validated by its query's schema. Rows of queries built with `sql.unsafe` pass unchecked: for
 * frequent reads whose shape the SQL itself determines.
 * @throws SchemaValidationError
 */
export function validRow(
  parser: QuerySqlToken["parser"],
  query: ConstructorParameters<typeof SchemaValidationError>[0],
  row: ConstructorParameters<typeof SchemaValidationError>[1],
): unknown {
  if (parser instanceof z.ZodUnknown) return row;
  const result = parser["~standard"].validate(row);
  if (result instanceof Promise) throw new TypeError("row schemas must be synchronous");
  if (result.issues) throw new SchemaValidationError(query, row, result.issues);
  return result.value;
}

/**
 * Runs `work` in a transaction, which is committed when it resolves and rolled back when it throws.
 * @param settings statements sent together with the transaction's start
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  settings: readonly string[] = [],
): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks between two statements emits an event, which without a listener would
  // end the process. The next statement then fails.
  let broken = false;
  const onError = (): void => {
    broken = true;
  };
  client.on("error", onError);
  try {
    await client.query(["begin", ...settings].join("; "));
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    // A connection that cannot even roll back does not return to the pool.
    await client.query("rollback").catch(onError);
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

const Locked = z.object({ locked: z.boolean() });
/** Between two tries for the lock. */
const RETRY_MS = 50;
/** Longest wait: work that waits for a frozen log takes 5 s, and a request is answered within 10 s. */
const LONGEST_WAIT_MS = 2_000;

/** Others have had the lock for longer than a request may wait; nothing was done. */
export class StillLocked extends Error {
  override readonly name = "StillLocked";
}

/**
 * Runs `work` while no other caller has the advisory lock, at whatever gateway.
 *
 * The lock belongs to the session, not to a transaction, because the log uses its own connections
 * for appends. Nobody waits for it with a connection in hand: the one who has it needs further connections.
 * @param key a number of 64 bits, fixed and unique among the service's advisory locks
 * @throws StillLocked after 2 s; errors of `work`
 */
export async function whileLocked<T>(
  pool: DatabasePool,
  key: string,
  work: (connection: CommonQueryMethods) => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const done = await pool.connect(async (connection) => {
      const { locked } = await connection.one(
        sql.type(Locked)`select pg_try_advisory_lock(${key}::bigint) as locked`,
      );
      if (!locked) return null;
      try {
        return { value: await work(connection) };
      } finally {
        await connection.query(sql.unsafe`select pg_advisory_unlock(${key}::bigint)`);
      }
    });
    if (done !== null) return done.value;
    if (performance.now() > endsAt) throw new StillLocked("others are at work under the same lock");
    await delay(RETRY_MS);
  }
}

/** pg's socket, which its types do not show. */
export function socketOf(client: ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Connections for somebody who asks, and may leave. */
export type AskedPool = Pick<Pool, "query" | "connect">;

/**
 * How often a server process looks whether its client is there still: by then a statement ends whose client left, or
 * was a thread that has ended.
 */
export const ENDS_WITH_CLIENT = { client_connection_check_interval: "500ms" };

/**
 * A pool whose statements end with who asks: the connection is cut at once, and the server sees that soon
 * (`ENDS_WITH_CLIENT`). Queries reject with the signal's reason then, what is copied as by a lost connection.
 */
export function whileAsked(pool: Pool, signal: AbortSignal): AskedPool {
  async function connect(): Promise<PoolClient> {
    signal.throwIfAborted();
    const client = await pool.connect();
    if (signal.aborted) {
      client.release();
      throw signal.reason;
    }
    const listening = addAbortListener(signal, () => cut(socketOf(client)));
    const { release } = client;
    // The pool gives a client another one with each connection.
    client.release = (error) => {
      listening[Symbol.dispose]();
      release.call(client, error ?? signal.aborted);
    };
    return client;
  }

  async function query(...statement: Parameters<PoolClient["query"]>): Promise<unknown> {
    const client = await connect();
    try {
      return await client.query(...statement);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      client.release();
    }
  }
  return { connect, query } as AskedPool;
}

/** A closed connection would look open to the server until it had read all that was sent; a reset one does not. */
function cut(stream: Socket): void {
  if (stream instanceof TLSSocket) stream.destroy();
  else stream.resetAndDestroy();
}

/** A time as ISO 8601 UTC with milliseconds; sessions are in UTC. @param column may name its table, `u.created_at` */
export function isoTime(column: string): FragmentSqlToken {
  return sql.fragment`to_char(${sql.identifier(column.split("."))}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Times in that form, each under its column's own name, for a statement's `select`. */
export function isoTimes(...columns: string[]): FragmentSqlToken {
  const named = columns.map((column) => {
    const name = column.split(".").slice(-1);
    return sql.fragment`${isoTime(column)} as ${sql.identifier(name)}`;
  });
  return sql.fragment`${sql.join(named, sql.fragment`, `)}`;
}
