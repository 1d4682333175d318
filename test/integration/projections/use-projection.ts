import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { sql } from "slonik";
import { afterAll, beforeAll } from "vitest";
import {
  type EventLog,
  type NewEvent,
  NO_STREAM,
  type RecordedEvent,
} from "#infra/log/event-log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import type { Projection } from "#projections/engine/projection.ts";
import { useDatabase } from "../../support/database.ts";
import { createInMemoryEventLog } from "../../support/in-memory-event-log.ts";

/** What the model of these tests does with an event: add its number to a table, or fail. */
export type Behaviour = (event: RecordedEvent) => void;

export type ProjectionScene = {
  readonly log: EventLog;
  readonly pool: Pool;
  readonly databaseUrl: string;
  /** Appends events of type Counted about a subject, numbered from 1 on over all. */
  readonly append: (subject: string, count: number, type?: string) => Promise<number[]>;
  /** A projection that writes the numbers in the order they are applied. */
  readonly projection: (name: string, behave?: Behaviour) => Projection;
  readonly applied: (name: string) => Promise<number[]>;
  readonly parked: (name: string) => Promise<{ subject: string; error: string }[]>;
};

/** A log in memory and a small read model in a real database: for the runner itself. */
export function useProjection(): ProjectionScene {
  const database = useDatabase();
  const log = createInMemoryEventLog();
  let pool: Pool;
  let last = 0;
  const revisions = new Map<string, number>();

  beforeAll(async () => {
    pool = createPgPool(database.url, { applicationName: "projection test" });
    await pool.query("create table applied (id serial, projection text, number integer)");
  });
  afterAll(async () => {
    await pool.end();
    await log.close();
  });

  return {
    log,
    get pool() {
      return pool;
    },
    get databaseUrl() {
      return database.url;
    },
    append: async (subject, count, type = "Counted") => {
      const numbers = Array.from({ length: count }, () => {
        last += 1;
        return last;
      });
      const events = numbers.map((number) => countedEvent(type, number));
      const expected = revisions.get(subject) ?? NO_STREAM;
      const { revision } = await log.append(subject, expected, events);
      revisions.set(subject, revision);
      return numbers;
    },
    projection: (name, behave = () => undefined) => ({
      name,
      tables: [],
      types: ["Counted", "Unknown"],
      subject: (event) => event.stream,
      apply: async (transaction, events) => {
        for (const event of events) {
          behave(event);
          await transaction.run(sql.unsafe`
            insert into applied (projection, number) values (${name}, ${numberOf(event)})`);
        }
      },
    }),
    applied: async (name) => {
      const { rows } = await pool.query<{ number: number }>(
        "select number from applied where projection = $1 order by id",
        [name],
      );
      return rows.map(({ number }) => number);
    },
    parked: async (name) => {
      const { rows } = await pool.query<{ subject: string; error: string }>(
        `select subject, error from read_model.parked_events
         where projection = $1 order by position`,
        [name],
      );
      return rows;
    },
  };
}

export function numberOf(event: RecordedEvent): number {
  return Number((event.data as { number: number }).number);
}

function countedEvent(type: string, number: number): NewEvent {
  const metadata = {
    schemaVersion: 1,
    commandId: randomUUID(),
    actor: "tester",
    at: new Date().toISOString(),
  };
  return { id: randomUUID(), type, data: { number }, metadata };
}
