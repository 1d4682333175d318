import { createHash } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import {
  type CatalogueEvent,
  type CatalogueEventData,
  CHUNK_EVENT,
  catalogueEvents,
  FRAME_EVENT,
} from "#contracts/domain-events/catalogue-events.ts";
import { bulletinStream, revisionStream } from "#contracts/names.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { EventLog, Position, RecordedEvent } from "#infra/event-log/event-log.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { readCheckpoint } from "../engine/checkpoint.ts";
import { countParked } from "../engine/parked-events.ts";
import type { Projection } from "../engine/projection.ts";
import { LIVE_SCHEMA } from "../engine/read-model-schema.ts";
import { createAsideTables, dropAsideTables } from "./aside-tables.ts";
import { compareTable, type TableComparison } from "./compare-tables.ts";
import { type Filling, fillAside } from "./fill-aside.ts";
import { readDefinitions } from "./table-definitions.ts";

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
