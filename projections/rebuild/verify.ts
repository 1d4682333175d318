import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Pool, PoolClient } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
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
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { EventLog, Position, RecordedEvent } from "#infra/log/event-log.ts";
import { copyRows } from "#infra/postgres/copy/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { hasOwner, isGivenUp } from "../engine/left-rows.ts";
import { countParked } from "../engine/parked.ts";
import { readCheckpoint } from "../engine/progress.ts";
import { LIVE_SCHEMA, type ProjectedTable, type Projection } from "../engine/projection.ts";
import {
  createAsideTables,
  dropAsideTables,
  type Filling,
  fillAside,
  readDefinitions,
} from "./aside-tables.ts";

export type VerifyDeps = {
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
