import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { DatabaseError, escapeIdentifier, type Pool, type PoolClient } from "pg";
import { type FragmentSqlToken, type QuerySqlToken, sql } from "slonik";
import { z } from "zod";
import { unknownCase } from "#contracts/cases.ts";
import {
  type CatalogueEvent,
  type CatalogueEventData,
  CHUNK_EVENT,
  catalogueEvents,
  FRAME_EVENT,
} from "#contracts/events/catalogues.ts";
import { bulletinStream, revisionStream } from "#contracts/events/log.ts";
import { readAhead } from "#infra/kernel/iteration.ts";
import { sleep } from "#infra/kernel/waiting.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import {
  type Batch,
  BEGINNING,
  type Checkpoint,
  type EventLog,
  type Position,
  type RecordedEvent,
} from "#infra/log/event-log.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { inTransaction, type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { hasOwner, isGivenUp } from "../engine/left-rows.ts";
import { holdCheckpoint, readCheckpoint } from "../engine/progress.ts";
import {
  inReadModel,
  LIVE_SCHEMA,
  type ProjectedTable,
  type Projection,
  type Transaction,
} from "../engine/projection.ts";
import { applyBatch, batchesOf, countParked, type Part, partsOf } from "../engine/run.ts";

/**
 * The phases of a rebuild; `waiting for readers` while a reader, such as a large export, holds a
 * table.
 */
export type RebuildPhase = "filling" | "indexing" | "switching" | "waiting for readers";

type RebuildDeps = {
  readonly log: Pick<EventLog, "subscribe" | "eventAt" | "head">;
  /**
   * A pool other than that of the live projection; its statements may take as long as building an
   * index.
   */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly onPhase: (phase: RebuildPhase) => void;
  /**
   * Set when the live tables were built from another log, or a longer one: rows that were visible
   * may disappear.
   */
  readonly replacesMismatch?: boolean;
};

const RETRY_MS = 200;
const MAX_RETRY_MS = 5_000;

function rebuildSchema({ name }: Projection): string {
  return `rebuild_${name}`;
}

/**
 * Rebuilds a projection's read model from the start of the log in separate tables, and then replaces
 * the live tables, which serve until then. When a rebuild is interrupted, they continue to serve,
 * and the next rebuild starts again. The caller prevents concurrent rebuilds.
 * @see infra/decisions/0014-rebuilding-read-models.md
 * @throws RebuildRefused
 */
export async function rebuildProjection(deps: RebuildDeps, projection: Projection): Promise<void> {
  const { log, pool, signal, onPhase, replacesMismatch = false } = deps;
  const schema = rebuildSchema(projection);
  const definitions = await readDefinitions(statementsOn(pool), projection.tables);
  await createAsideTables(pool, schema, definitions);
  try {
    const filling = fillAside(deps, projection, schema);
    onPhase("filling");
    await filling.upTo(await log.head());
    onPhase("indexing");
    await addIndexes(pool, schema, definitions);
    onPhase("switching");
    for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
      await filling.upTo(await log.head());
      signal.throwIfAborted();
      const prepared = { schema, definitions, filling, replacesMismatch };
      if (await switchTables(pool, projection, prepared)) return;
      onPhase("waiting for readers");
      await sleep(wait, signal);
    }
  } finally {
    await dropAsideTables(pool, schema);
  }
}

/** The rebuilt tables may not replace the live ones. */
class RebuildRefused extends Error {
  override readonly name = "RebuildRefused";
}

/** Filled tables with the indexes of the live ones. */
type PreparedTables = {
  readonly schema: string;
  readonly definitions: readonly TableDefinition[];
  readonly filling: Filling;
  /** Set when the live tables' checkpoint means nothing in the present log and is not compared. */
  readonly replacesMismatch: boolean;
};

/**
 * For locks that do not block readers: autovacuum yields, and a batch of the projection takes less
 * time.
 */
const PATIENT_WAIT = "10s";
/** For locks that block later readers behind this transaction: better to give up soon and try again. */
const READERS_WAIT = "250ms";
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Replaces the live tables by those in `schema`, in one transaction with checkpoint and parked
 * events. Holding the checkpoint prevents all projectors of the projection, in any process, from
 * applying batches meanwhile. The new tables first catch up with the live ones, so that visible rows
 * do not disappear.
 * @returns false when readers held the tables for too long: nothing has changed, try again
 * @throws RebuildRefused
 */
async function switchTables(
  pool: Pool,
  projection: Projection,
  { schema, definitions, filling, replacesMismatch }: PreparedTables,
): Promise<boolean> {
  try {
    await inReadModel(pool, LIVE_SCHEMA, async (transaction) => {
      const tables = definitions.map(({ name }) => sql.identifier([name]));
      const names = sql.join(tables, sql.fragment`, `);
      await transaction.run(waitingAtMost(PATIENT_WAIT));
      // Autovacuum yields only after a second of waiting, which is longer than READERS_WAIT.
      await transaction.run(sql.unsafe`lock table ${names} in share update exclusive mode`);
      const { position } = await holdCheckpoint(transaction, projection.name);
      if (!replacesMismatch) await filling.upTo(position);
      await transaction.run(waitingAtMost(READERS_WAIT));
      await transaction.run(sql.unsafe`lock table ${names} in access exclusive mode`);
      await refuseChanged(transaction, projection, definitions);
      if (!replacesMismatch) await refuseParked(transaction, projection, schema);
      for (const definition of definitions) await replaceTable(transaction, schema, definition);
      await replaceBookkeeping(transaction, projection, schema, filling.reached());
    });
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** A migration may have changed the live tables since they were copied. */
async function refuseChanged(
  transaction: Transaction,
  { name, tables }: Projection,
  definitions: readonly TableDefinition[],
): Promise<void> {
  await transaction.run(sql.unsafe`set local search_path to public`);
  const present = await readDefinitions(transaction, tables);
  if (!isDeepStrictEqual(present, definitions)) {
    throw new RebuildRefused(`the tables of ${name} were altered meanwhile: rebuild it again`);
  }
}

async function refuseParked(transaction: Transaction, { name }: Projection, schema: string) {
  const live = await countParked(transaction, LIVE_SCHEMA, name);
  const rebuilt = await countParked(transaction, schema, name);
  if (rebuilt > live) {
    throw new RebuildRefused(
      `${rebuilt} events of ${name} could not be applied, of the live read model ${live} wait: it stays`,
    );
  }
}

function waitingAtMost(time: string): QuerySqlToken {
  return sql.unsafe`select set_config('lock_timeout', ${time}, true)`;
}

async function replaceTable(
  transaction: Transaction,
  schema: string,
  { name, statistics }: TableDefinition,
): Promise<void> {
  const live = sql.identifier([LIVE_SCHEMA]);
  await transaction.run(sql.unsafe`drop table ${sql.identifier([LIVE_SCHEMA, name])}`);
  await transaction.run(
    sql.unsafe`alter table ${sql.identifier([schema, name])} set schema ${live}`,
  );
  // Indexes and constraints move with their table, extended statistics do not.
  for (const object of statistics) {
    const moved = sql.identifier([schema, object.name]);
    await transaction.run(sql.unsafe`alter statistics ${moved} set schema ${live}`);
  }
}

async function replaceBookkeeping(
  transaction: Transaction,
  { name }: Projection,
  schema: string,
  { position, eventId }: Checkpoint,
): Promise<void> {
  const parked = sql.identifier([LIVE_SCHEMA, "parked_events"]);
  await transaction.run(sql.unsafe`delete from ${parked} where projection = ${name}`);
  await transaction.run(sql.unsafe`
    insert into ${parked} select * from ${sql.identifier([schema, "parked_events"])}`);
  await transaction.run(sql.unsafe`
    update ${sql.identifier([LIVE_SCHEMA, "checkpoints"])}
    set position = ${position}, event_id = ${eventId}, updated_at = clock_timestamp()
    where projection = ${name}`);
}

/**
 * Copies of the live tables in another schema: made by the definitions of these, and filled from
 * the start of the log.
 */

/** Tables that applying a batch writes besides those of the projection. */
const BOOKKEEPING = ["checkpoints", "parked_events"] as const;

const LIKE = "including defaults including generated including identity including storage";

const LOCK_RETRY_MS = 500;
const MAX_FAILURES = 5;

/**
 * Creates empty copies of the live tables in a separate schema, replacing the remains of an earlier
 * run. Keys, checks and the indexes on which writes rely exist from the start; `addIndexes` creates those that only
 * readers need.
 */
async function createAsideTables(
  pool: Pool,
  schema: string,
  definitions: readonly TableDefinition[],
): Promise<void> {
  const aside = escapeIdentifier(schema);
  await dropAsideTables(pool, schema);
  await inTransaction(pool, async (transaction) => {
    await transaction.query(`create schema ${aside}`);
    for (const name of BOOKKEEPING) {
      await transaction.query(
        `create table ${aside}.${name} (like ${LIVE_SCHEMA}.${name} including all)`,
      );
    }
    for (const { name, constraints, writeIndexes } of definitions) {
      const table = escapeIdentifier(name);
      await transaction.query(
        `create table ${aside}.${table} (like ${LIVE_SCHEMA}.${table} ${LIKE})`,
      );
      for (const constraint of constraints) {
        await transaction.query(`alter table ${aside}.${table} ${constraint}`);
      }
      for (const index of writeIndexes) await transaction.query(madeIn(schema, index));
    }
  });
}

/**
 * Creates the indexes and statistics of full tables. Concurrently, because an index built in a
 * transaction with an id would delay every reader of the log, and callers waiting for their own
 * writes.
 */
async function addIndexes(pool: Pool, schema: string, definitions: readonly TableDefinition[]) {
  for (const { name, indexes, statistics } of definitions) {
    for (const index of indexes) {
      const statement = madeIn(schema, index);
      await pool.query(statement.replace(/^CREATE (UNIQUE )?INDEX /, "$&CONCURRENTLY "));
    }
    for (const object of statistics) await pool.query(madeIn(schema, object));
    await pool.query(`analyze ${escapeIdentifier(schema)}.${escapeIdentifier(name)}`);
  }
}

/**
 * Drops the schema with its tables. The server may still be building an index for a killed process;
 * index and drop then wait for each other. PostgreSQL resolves this deadlock by ending one of the
 * two, after which a retry succeeds.
 */
async function dropAsideTables(pool: Pool, schema: string): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      await pool.query(`drop schema if exists ${escapeIdentifier(schema)} cascade`);
      return;
    } catch (error) {
      if (!isTransient(error) || failures === MAX_FAILURES) throw error;
      await setTimeout(LOCK_RETRY_MS);
    }
  }
}

/** The definition of a live table, in PostgreSQL's own words. */
type TableDefinition = {
  readonly name: string;
  /** Name, type, nullability and default of every column. */
  readonly columns: readonly string[];
  /** Keys and checks, on which writes rely, each as `add constraint …`. */
  readonly constraints: readonly string[];
  /** Indexes without a constraint by which events that are applied find rows, each as `create [unique] index …`. */
  readonly writeIndexes: readonly Made[];
  /** Those on which readers alone rely. */
  readonly indexes: readonly Made[];
  readonly statistics: readonly Made[];
};

/** A named object of the schema and the statement that creates it there. */
const Made = z.object({ name: z.string(), text: z.string() });
type Made = z.infer<typeof Made>;

const Text = z.object({ text: z.string() });

/** The definitions of a projection's live tables, in the given order. */
export async function readDefinitions(database: Statements, tables: readonly ProjectedTable[]) {
  const definitions: TableDefinition[] = [];
  for (const table of tables) definitions.push(await readDefinition(database, table));
  return definitions;
}

async function readDefinition(database: Statements, { name, foundBy = [] }: ProjectedTable) {
  const table = sql.fragment`${`${LIVE_SCHEMA}.${escapeIdentifier(name)}`}::text::regclass`;
  const columns = await database.any(sql.type(Text)`
    select concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull,
      pg_get_expr(adbin, adrelid)) as text
    from pg_attribute a left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
    where attrelid = ${table} and attnum > 0 and not attisdropped order by attnum`);
  const constraints = await database.any(sql.type(Text)`
    select format('add constraint %I %s', conname, pg_get_constraintdef(oid)) as text
    from pg_constraint where conrelid = ${table} and contype in ('p', 'u', 'c', 'x')
    order by conname`);
  const indexes = await database.any(sql.type(Made)`
    select c.relname as name, pg_get_indexdef(c.oid) as text
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = ${table}
      and not exists (select from pg_constraint where conindid = i.indexrelid)
    order by c.relname`);
  const statistics = await database.any(sql.type(Made)`
    select stxname as name, pg_get_statisticsobjdef(oid) as text
    from pg_statistic_ext where stxrelid = ${table} order by stxname`);
  return {
    name,
    columns: columns.map(({ text }) => text),
    constraints: constraints.map(({ text }) => text),
    writeIndexes: indexes.filter((index) => foundBy.includes(index.name)),
    indexes: indexes.filter((index) => !foundBy.includes(index.name)),
    statistics,
  };
}

/** The statement that creates the object in another schema. */
function madeIn(schema: string, { text }: Made): string {
  return text.replaceAll(`${LIVE_SCHEMA}.`, `${escapeIdentifier(schema)}.`);
}

type FillDeps = {
  readonly log: Pick<EventLog, "subscribe" | "eventAt">;
  /** A pool other than that of the live projection. */
  readonly pool: Pool;
  readonly signal: AbortSignal;
  /** Called with the events of every batch before they are applied. */
  readonly observe?: (events: readonly RecordedEvent[]) => void;
};

type Filling = ReturnType<typeof fillAside>;

/** Tables being filled from the start of the log, by the same code as the live ones. */
function fillAside(
  { log, pool, signal, observe }: FillDeps,
  projection: Projection,
  schema: string,
) {
  let reached: Checkpoint = BEGINNING;

  async function apply(part: Part): Promise<void> {
    await applyBatch(pool, projection, reached.position, part, { schema });
    reached = { position: part.position, eventId: part.eventId };
  }

  /**
   * The part of the batch up to the target. The event at the target may be of another type and not
   * in the batch.
   */
  async function cutAt(batch: Batch, target: Position): Promise<Part> {
    if (batch.position <= target) return batch;
    const events = batch.events.filter(({ position }) => position <= target);
    return { events, position: target, eventId: await log.eventAt(target) };
  }

  /** Applies the log up to `target` and no further. */
  async function upTo(target: Position): Promise<void> {
    if (reached.position >= target) return;
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    for await (const batch of readAhead(batchesOf(log, projection, reached, either))) {
      try {
        const wanted = await cutAt(batch, target);
        observe?.(wanted.events);
        for (const part of partsOf(wanted)) await apply(part);
      } catch (error) {
        ending.abort();
        throw error;
      }
      if (reached.position < target) continue;
      // Before leaving the loop, which would otherwise wait for events being read ahead.
      ending.abort();
      break;
    }
    signal.throwIfAborted();
    if (reached.position < target) throw new Error("the event log was closed");
  }

  return { reached: () => reached, upTo };
}

type VerifyDeps = {
  readonly log: Pick<EventLog, "subscribe" | "eventAt">;
  /** A pool with at least three connections, other than that of the live projection. */
  readonly pool: Pool;
  readonly signal: AbortSignal;
};

export type Verification = {
  readonly projection: string;
  /** The position in the log of both tables. */
  readonly position: Position;
  readonly tables: readonly TableComparison[];
  /** Number of committed revisions whose content hash was recomputed, and those that differ. */
  readonly revisions: { readonly checked: number; readonly wrong: readonly WrongRevision[] };
  readonly parked: { readonly live: number; readonly rebuilt: number };
};

/** True without any difference. */
export function holds({ tables, revisions, parked }: Verification): boolean {
  return (
    tables.every(({ differing, live, rebuilt }) => differing === 0 && live.hash === rebuilt.hash) &&
    revisions.wrong.length === 0 &&
    parked.live === parked.rebuilt
  );
}

/**
 * Rebuilds a projection's read model in separate tables from the start of the log, and compares it
 * with the live one at the same position. The live one continues to serve and to follow the log.
 */
export async function verifyProjection(
  deps: VerifyDeps,
  projection: Projection,
): Promise<Verification> {
  const { pool, signal } = deps;
  const schema = `verify_${projection.name}`;
  const hashes = createContentHashes();
  const definitions = await readDefinitions(statementsOn(pool), projection.tables);
  await createAsideTables(pool, schema, definitions);
  try {
    const observe = projection.tables.some(({ name }) => name === "seismic_events")
      ? { observe: hashes.take }
      : {};
    const filling = fillAside({ ...deps, ...observe }, projection, schema);
    await filling.upTo((await readCheckpoint(pool, projection.name)).position);
    const compared = await inSnapshot(pool, (live) =>
      compareAt(pool, live, { projection, schema, filling, signal }),
    );
    return {
      projection: projection.name,
      ...compared,
      revisions: { checked: hashes.checked(), wrong: hashes.wrong },
    };
  } finally {
    await dropAsideTables(pool, schema);
  }
}

type Comparison = {
  readonly projection: Projection;
  readonly schema: string;
  readonly filling: Filling;
  readonly signal: AbortSignal;
};

/** Compares the live tables in the snapshot of `live` with the others at the same position. */
async function compareAt(
  pool: Pool,
  live: PoolClient,
  { projection, schema, filling, signal }: Comparison,
): Promise<Pick<Verification, "position" | "tables" | "parked">> {
  const { position } = await readCheckpoint(live, projection.name);
  await filling.upTo(position);
  const rebuilt = await pool.connect();
  // After a failure the connection may be in the middle of a COPY.
  let failed = true;
  try {
    const tables: TableComparison[] = [];
    for (const table of projection.tables.filter(({ isWork }) => !isWork)) {
      signal.throwIfAborted();
      tables.push(await compareTable(live, rebuilt, schema, table));
    }
    const parked = {
      live: await countParked(statementsOn(live), LIVE_SCHEMA, projection.name),
      rebuilt: await countParked(statementsOn(rebuilt), schema, projection.name),
    };
    failed = false;
    return { position, tables, parked };
  } finally {
    rebuilt.release(failed);
  }
}

/** Runs `work` in one snapshot, which blocks no other transaction. */
async function inSnapshot<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query("begin isolation level repeatable read read only");
    await client.query("set local idle_in_transaction_session_timeout to 0");
    const result = await work(client);
    await client.query("commit");
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}

/** A committed revision whose hash does not match its chunks and frames. */
type WrongRevision = {
  readonly catalogueId: string;
  readonly revision: number;
  readonly recorded: string;
  readonly computed: string;
};

/** Recomputes the `contentHash` of every RevisionCommitted from the chunks and frames in the log. */
function createContentHashes() {
  /** SHA-256 of the chunks and frames of uncommitted revisions, by stream. */
  const chunks = new Map<string, string[]>();
  /** The hash of the latest version, by catalogue. */
  const versions = new Map<string, string>();
  const wrong: WrongRevision[] = [];
  let checked = 0;

  function takeBinary({ stream, data }: RecordedEvent): void {
    const hash = createHash("sha256").update(data as Uint8Array);
    const present = chunks.get(stream);
    if (present) present.push(hash.digest("hex"));
    else chunks.set(stream, [hash.digest("hex")]);
  }

  function take(stream: string, count: number): readonly string[] {
    const taken = chunks.get(stream) ?? [];
    chunks.delete(stream);
    return taken.slice(0, count);
  }

  function check(commit: CatalogueEventData<"RevisionCommitted">): void {
    const { catalogueId, revision, contentHash, chunks: ofChunks, frames = 0 } = commit;
    const hash = createHash("sha256").update(versions.get(catalogueId) ?? "");
    for (const sha256 of take(revisionStream(catalogueId, revision), ofChunks)) hash.update(sha256);
    for (const sha256 of take(bulletinStream(catalogueId, revision), frames)) hash.update(sha256);
    const computed = hash.digest("hex");
    checked += 1;
    if (computed !== contentHash) {
      wrong.push({ catalogueId, revision, recorded: contentHash, computed });
    }
    // Later versions were hashed with the recorded value.
    versions.set(catalogueId, contentHash);
  }

  function examine(recorded: RecordedEvent): void {
    if (recorded.type === CHUNK_EVENT || recorded.type === FRAME_EVENT) {
      takeBinary(recorded);
      return;
    }
    // Agencies and regions have no revisions.
    if (recorded.type in catalogueEvents) takeDecision(fromRecorded(recorded) as CatalogueEvent);
  }

  function takeDecision(event: CatalogueEvent): void {
    switch (event.type) {
      case "RevisionCommitted":
        check(event.data);
        return;
      case "RevisionAbandoned":
        chunks.delete(revisionStream(event.data.catalogueId, event.data.revision));
        chunks.delete(bulletinStream(event.data.catalogueId, event.data.revision));
        return;
      case "CatalogueDeleted":
        versions.delete(event.data.catalogueId);
        return;
      case "CatalogueCreated":
      case "CatalogueRenamed":
      case "VisibilityChanged":
      case "EditingChanged":
      case "PartsChanged":
      case "MemberSet":
      case "MemberRemoved":
      case "CatalogueShared":
      case "ShareEnded":
      case "ScheduleMade":
      case "ScheduleChanged":
      case "ScheduleEnded":
      case "CatalogueMerged":
      case "MergeRefreshed":
      case "MergeDecisionsMade":
      case "MergeDecisionsWithdrawn":
      case "MetadataChanged":
      case "RevisionOpened":
      case "ImportStarted":
      case "ImportCompleted":
      case "ImportFailed":
        return;
      default:
        unknownCase(event);
    }
  }

  return {
    /** Processes catalogue events in log order. */
    take: (events: readonly RecordedEvent[]): void => events.forEach(examine),
    /** Commits checked so far. */
    checked: () => checked,
    wrong: wrong as readonly WrongRevision[],
  };
}

/** A row that differs between both tables; `columns` are the differing ones if both have the row. */
type Difference = {
  readonly key: string;
  readonly kind: "missing" | "unexpected" | "different";
  readonly columns?: readonly string[];
};

export type TableComparison = {
  readonly table: string;
  readonly live: TableFigures;
  readonly rebuilt: TableFigures;
  /** The first differences, as seen from the live table. */
  readonly differences: readonly Difference[];
  /** The number of all differences. */
  readonly differing: number;
};

const MAX_DIFFERENCES = 20;

/** Compares a live table with its copy in another schema row by row; each side has its own connection. */
async function compareTable(
  live: PoolClient,
  rebuilt: PoolClient,
  schema: string,
  table: ProjectedTable,
): Promise<TableComparison> {
  const [a, b] = [fingerprints(live, LIVE_SCHEMA, table), fingerprints(rebuilt, schema, table)];
  const differences: Difference[] = [];
  let differing = 0;
  const differ = (key: string, kind: Difference["kind"]): void => {
    differing += 1;
    if (differences.length < MAX_DIFFERENCES) differences.push({ key, kind });
  };
  let [mine, other] = [await a.next(), await b.next()];
  while (mine || other) {
    if (!other || (mine && mine.key < other.key)) {
      differ(mine?.key ?? "", "unexpected");
      mine = await a.next();
    } else if (!mine || other.key < mine.key) {
      differ(other.key, "missing");
      other = await b.next();
    } else {
      if (mine.content !== other.content) differ(mine.key, "different");
      [mine, other] = [await a.next(), await b.next()];
    }
  }
  const named: Difference[] = [];
  for (const difference of differences) {
    const { key, kind } = difference;
    const columns = () => differentColumns(live, rebuilt, schema, table, key);
    named.push(kind === "different" ? { ...difference, columns: await columns() } : difference);
  }
  return {
    table: table.name,
    live: a.figures(),
    rebuilt: b.figures(),
    differences: named,
    differing,
  };
}

const RowJson = z.object({ row: z.record(z.string(), z.unknown()) });

/** The names of the columns in which two rows with the same key differ, without their values. */
async function differentColumns(
  live: PoolClient,
  rebuilt: PoolClient,
  schema: string,
  table: ProjectedTable,
  key: string,
): Promise<string[]> {
  const mine = await rowOf(live, LIVE_SCHEMA, table, key);
  const other = await rowOf(rebuilt, schema, table, key);
  return Object.keys({ ...mine, ...other }).filter(
    (column) => !isDeepStrictEqual(mine[column], other[column]),
  );
}

async function rowOf(
  client: PoolClient,
  schema: string,
  { name, key: columns }: ProjectedTable,
  key: string,
): Promise<Record<string, unknown>> {
  const answer = await statementsOn(client).maybeOne(sql.type(RowJson)`
    select to_json(t) as row from ${sql.identifier([schema, name])} t
    where ${keyText(columns)} = ${key}`);
  return answer?.row ?? {};
}

/** Number of rows and their hash (SHA-256 over the rows' keys and contents in order of the keys). */
type TableFigures = { readonly rows: number; readonly hash: string };

type Fingerprint = { readonly key: string; readonly content: string };

function fingerprints(
  client: PoolClient,
  schema: string,
  { name, key, owner, givenUp }: ProjectedTable,
) {
  const hash = createHash("sha256");
  let rows = 0;
  const { from, to } = givenUp ?? {};
  const isWritten =
    givenUp && from ? sql.fragment`not ${isGivenUp(givenUp, from, schema)}` : sql.fragment`true`;
  const row = givenUp && to ? asNotEnded(to, isGivenUp(givenUp, to, schema)) : sql.fragment`t`;
  // Ordered by bytes, as the keys are compared here: they are ASCII.
  const batches = copyRows(
    client,
    sql.fragment`
      select ${keyText(key)}, md5((${row})::text)
      from ${sql.identifier([schema, name])} t
      where ${owner ? hasOwner(owner, schema) : sql.fragment`true`} and ${isWritten}
      order by ${keyText(key)} collate "C"`,
  );
  async function* each(): AsyncGenerator<Fingerprint> {
    for await (const batch of batches) {
      for (const [id, content] of batch) yield { key: id ?? "", content: content ?? "" };
    }
  }
  const stream = each();
  return {
    /** The next row's fingerprint; null after the last. */
    async next(): Promise<Fingerprint | null> {
      const { done, value } = await stream.next();
      if (done) return null;
      rows += 1;
      hash.update(`${value.key}\t${value.content}\n`);
      return value;
    },
    figures: (): TableFigures => ({ rows, hash: hash.copy().digest("hex") }),
  };
}

/** The row `t` without its end where that is undone. */
function asNotEnded(to: string, isGivenUp: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`case
    when ${sql.identifier(["t", to])} is not null and ${isGivenUp}
    then jsonb_populate_record(t, jsonb_build_object(${to}::text, null)) else t end`;
}

/** SQL of the key of a row `t` as one text, with slashes as separators, which keys do not contain. */
function keyText(columns: readonly string[]): FragmentSqlToken {
  const names = columns.map((column) => sql.identifier(["t", column]));
  return sql.fragment`concat_ws('/', ${sql.join(names, sql.fragment`, `)})`;
}
