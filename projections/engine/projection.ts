import { escapeIdentifier, type Pool, type PoolClient } from "pg";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import {
  type ClientStatements,
  type Connection,
  inTransaction,
  statementsOn,
} from "#infra/postgres/statements.ts";

/** The connection with the transaction that also moves the checkpoint. */
export type Transaction = ClientStatements & {
  /** For COPY, and for statements in PostgreSQL's own words. */
  readonly client: Connection;
};

/** The rows of a table by whose key, an integer, rows of another are found in its column `by`. */
export type Owner = { readonly table: string; readonly key: string; readonly by: string };

/**
 * Revisions that were given up: `table` has them, by the owner's key in `by` and their number in `revision`, until what
 * they have done is undone. A row is removed where it was written by one, as its column `from` tells; where one has
 * ended it, as `to` tells, it has not ended.
 */
export type GivenUp = {
  readonly table: string;
  readonly by: string;
  readonly revision: string;
  readonly from: string;
  readonly to?: string;
};

/** A read model's table, by its bare name, and the columns that identify its rows. */
export type ProjectedTable = {
  readonly name: string;
  readonly key: readonly string[];
  /** Rows without a row of the owner are nobody's any more, and count for nothing until they are removed. */
  readonly owner?: Owner;
  /** Rows of revisions that were given up count for nothing until they are undone. */
  readonly givenUp?: GivenUp;
  /** Set where rows tell what is still to be done, which is not the same in every copy of the table. */
  readonly isWork?: boolean;
  /** Names of the indexes, besides the key, by which events that are applied find rows. */
  readonly foundBy?: readonly string[];
};

/**
 * A read model: how events become rows. It has no side effects outside its own tables, so replaying
 * the log gives the same rows.
 */
export type Projection = {
  readonly name: string;
  /** All tables that it writes to, besides its checkpoint and parked events. */
  readonly tables: readonly ProjectedTable[];
  readonly types: readonly string[];
  /**
   * Reads events of all types and stops at an unknown one, which a newer version of the service may
   * have written. One projection does this for all.
   */
  readonly guardsLog?: boolean;
  /** The subject of an event: when one of its events cannot be applied, its later events wait. */
  readonly subject: (event: RecordedEvent) => string;
  /** Applies events in order. An error undoes the transaction. */
  readonly apply: (transaction: Transaction, events: readonly RecordedEvent[]) => Promise<void>;
  /**
   * Updates PostgreSQL's statistics when the events change a large part of a table, in the same
   * transaction, so that no query is planned with old statistics. Left out while tables are filled
   * that have no readers yet.
   */
  readonly refreshStatistics?: (
    transaction: Transaction,
    events: readonly RecordedEvent[],
  ) => Promise<void>;
  /** Marks the read model of a subject with parked events. */
  readonly markParked?: (transaction: Transaction, subject: string) => Promise<void>;
  /** Removes the mark before the parked events are applied. */
  readonly clearParked?: (transaction: Transaction, subject: string) => Promise<void>;
};

/** The schema of the live read models. A rebuild fills tables with the same names in another schema. */
export const LIVE_SCHEMA = "read_model";

/**
 * Runs `work` in a transaction that finds tables of read models, checkpoints and parked events in
 * `schema`. Projections use bare table names, so they can fill any schema.
 */
export function inReadModel<T>(
  pool: Pool,
  schema: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const tables = `set local search_path to ${escapeIdentifier(schema)}, public`;
  // Tables without readers may lose their latest commits in a crash, but only those.
  const commits = schema === LIVE_SCHEMA ? [] : ["set local synchronous_commit to off"];
  const onClient = (client: PoolClient) => work({ ...statementsOn(client), client });
  return inTransaction(pool, onClient, [tables, ...commits]);
}
