import type { OpenSocket } from "#infra/postgres/database-watch.ts";
import type { Log } from "#infra/postgres/log.ts";
import type { OperatedEventLog } from "./operated-event-log.ts";
import { createPostgresEventLog } from "./postgres/postgres-event-log.ts";
import { requireSameLog, UnusableEventStore } from "./same-log.ts";

export type OpenEventLogOptions = {
  /** A migrated database. */
  readonly databaseUrl: string;
  /** Null: the log is in the database. */
  readonly eventStoreUrl: string | null;
  readonly log: Log;
  /** Of the connections to the database; by default the adapter's own. */
  readonly applicationName?: string;
  readonly maxConnections?: number;
  readonly openSocket?: OpenSocket | undefined;
};

/**
 * The event log that the configuration names, once it answers.
 * @throws UnusableEventStore when the event store does not answer, or the log is in the other place
 */
export async function openEventLog(options: OpenEventLogOptions): Promise<OperatedEventLog> {
  const { databaseUrl, eventStoreUrl, log, ...connections } = options;
  await requireSameLog(databaseUrl, eventStoreUrl);
  if (eventStoreUrl === null) {
    const opened = await createPostgresEventLog(databaseUrl, { ...connections, log });
    return { ...opened, kind: "event_log", mismatch: () => null };
  }
  // The client takes 0.3 s to load, which a service without an event store need not wait for.
  const { createEventStoreDbEventLog } = await import("./eventstoredb/eventstoredb-event-log.ts");
  const opened = createEventStoreDbEventLog(eventStoreUrl, { log });
  try {
    await opened.head();
  } catch (cause) {
    await opened.close();
    throw new UnusableEventStore(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  return {
    ...opened,
    kind: "event_store",
    stall: () => null,
    mismatch: () => null,
    connections: null,
  };
}
