import { randomUUID } from "node:crypto";
import type { Pool, PoolClient } from "pg";
import { eventId } from "#contracts/seismic-event/ids.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { fractionDigits } from "#contracts/seismic-event/time.ts";
import { inTransaction } from "#infra/postgres/statements.ts";

/** What one revision does. */
export type Change = {
  readonly add?: readonly SeismicEventRecord[];
  readonly update?: readonly SeismicEvent[];
  readonly remove?: readonly string[];
};

/** A catalogue in the read model beside what its versions hold, kept in plain maps. */
export type ModelCatalogue = {
  readonly id: string;
  readonly key: number;
  /** Events by id of every committed version. */
  readonly versions: ReadonlyMap<number, ReadonlyMap<string, SeismicEvent>>;
  readonly latest: () => number;
  readonly events: (version?: number) => SeismicEvent[];
  /** A revision that is written and committed; its number. */
  readonly commit: (change: Change) => Promise<number>;
  /** A revision that is written and left open; its number. */
  readonly open: (change: Change) => Promise<number>;
  /** Gives up the open revision. */
  readonly abandon: () => Promise<void>;
  /** Lets guests read it from a version on, or not at all. */
  readonly publish: (from: number | null) => Promise<void>;
  readonly remove: () => Promise<void>;
};

export type ModelOptions = {
  readonly name?: string;
  readonly createdAt?: string;
  readonly isPublic?: boolean;
  /** Blocks of more events are divided. */
  readonly eventsOfBlock?: number;
};

/** When a version was committed: one second apart, so that tests know times between them. */
export function committedAt(version: number): string {
  return new Date(Date.UTC(2020, 0, 1, 0, 0, version)).toISOString();
}

export async function createModelCatalogue(
  pool: Pool,
  {
    name = "catalogue",
    createdAt = committedAt(0),
    isPublic = true,
    eventsOfBlock = 8_000,
  }: ModelOptions = {},
): Promise<ModelCatalogue> {
  const id = randomUUID();
  const key = await insertCatalogue(pool, { id, name, createdAt, isPublic });
  const versions = new Map<number, ReadonlyMap<string, SeismicEvent>>();
  let latest = 0;
  let last = 0;
  const at = (version: number) => versions.get(version) ?? new Map<string, SeismicEvent>();

  const write = async (transaction: PoolClient, change: Change) => {
    last += 1;
    const next = new Map(at(latest));
    const added = (change.add ?? []).map((record, i) => ({ id: eventId(id, last, i), ...record }));
    const updated = change.update ?? [];
    const gone = [...updated.map((event) => event.id), ...(change.remove ?? [])];
    for (const eventId of gone) next.delete(eventId);
    for (const event of [...added, ...updated]) next.set(event.id, event);
    await supersede(transaction, key, last, gone);
    await insertEvents(transaction, key, last, [...added, ...updated]);
    return next;
  };

  return {
    id,
    key,
    versions,
    latest: () => latest,
    events: (version = latest) => [...at(version).values()],
    commit: async (change) => {
      await inTransaction(pool, async (transaction) => {
        const next = await write(transaction, change);
        await commitVersion(transaction, key, last, next.size);
        await transaction.query("set local search_path to read_model");
        await transaction.query("select keep_event_blocks($1, $2, $3)", [key, last, eventsOfBlock]);
        versions.set(last, next);
        latest = last;
      });
      return last;
    },
    open: async (change) => {
      await inTransaction(pool, (transaction) => write(transaction, change));
      return last;
    },
    abandon: async () => {
      await inTransaction(pool, async (transaction) => {
        const at = "where catalogue_key = $1 and";
        const table = "read_model.seismic_events";
        await transaction.query(`delete from ${table} ${at} revision_from = $2`, [key, last]);
        await transaction.query(`update ${table} set revision_to = null ${at} revision_to = $2`, [
          key,
          last,
        ]);
      });
    },
    publish: async (from) => {
      await pool.query(
        "update read_model.catalogues set is_public = $2::int is not null, public_from = $2 where key = $1",
        [key, from],
      );
    },
    remove: async () => {
      await inTransaction(pool, async (transaction) => {
        for (const table of ["seismic_events", "event_blocks", "catalogue_versions"]) {
          await transaction.query(`delete from read_model.${table} where catalogue_key = $1`, [
            key,
          ]);
        }
        await transaction.query("delete from read_model.catalogues where key = $1", [key]);
      });
    },
  };
}

async function insertCatalogue(
  pool: Pool,
  { id, name, createdAt, isPublic }: Required<Omit<ModelOptions, "eventsOfBlock">> & { id: string },
): Promise<number> {
  const { rows } = await pool.query<{ key: number }>(
    `insert into read_model.catalogues
       (key, id, name, is_public, public_from, created_by, created_at, updated_at, status, version,
        event_count)
     select coalesce(max(key), 0) + 1, $1, $2, $4, case when $4 then 1 end, 'user_1_tester', $3, $3,
       'processing', 0, 0
     from read_model.catalogues returning key`,
    [id, name, createdAt, isPublic],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("no row was inserted");
  return row.key;
}

async function commitVersion(
  transaction: PoolClient,
  key: number,
  version: number,
  eventCount: number,
): Promise<void> {
  await transaction.query(
    `insert into read_model.catalogue_versions (catalogue_key, version, created_at, cause, actor,
       added, updated, removed, event_count, content_hash)
     values ($1, $2, $3, 'edit', 'user_1_tester', 0, 0, 0, $4, '')`,
    [key, version, committedAt(version), eventCount],
  );
  await transaction.query(
    `update read_model.catalogues
     set version = $2, event_count = $3, status = 'active' where key = $1`,
    [key, version, eventCount],
  );
}

async function supersede(
  transaction: PoolClient,
  key: number,
  revision: number,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(
    `update read_model.seismic_events set revision_to = $2
     where catalogue_key = $1 and event_id = any($3::uuid[]) and revision_to is null`,
    [key, revision, ids],
  );
}

async function insertEvents(
  transaction: PoolClient,
  key: number,
  revision: number,
  events: readonly SeismicEvent[],
): Promise<void> {
  const rows = events.map(({ id, ...record }) => ({
    ...record,
    event_id: id,
    time_digits: fractionDigits(record.time),
    catalogue_key: key,
    revision_from: revision,
  }));
  await transaction.query(
    `insert into read_model.seismic_events
     select * from json_populate_recordset(null::read_model.seismic_events, $1)`,
    [JSON.stringify(rows)],
  );
}
