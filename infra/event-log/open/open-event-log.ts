import type { Log } from "#infra/kernel/log.ts";
import type { ConnectionOptions } from "#infra/postgres/session.ts";
import type { OperatedEventLog } from "../event-log.ts";
import { createPostgresEventLog } from "../postgres/postgres-event-log.ts";
import { requireSameLog, UnusableEventStore } from "../same-log.ts";

export type OpenEventLogOptions = ConnectionOptions & {
  /** URL of a migrated database. */
  readonly databaseUrl: string;
  /** Null: the log is in the database. */
  readonly eventStoreUrl: string | null;
  readonly log: Log;
  readonly maxConnections?: number;
};

/**
 * Opens the configured event log and waits until it answers.
 * @throws UnusableEventStore when the event store does not answer, or the log is in the other place
 */
export async function openEventLog(options: OpenEventLogOptions): Promise<OperatedEventLog> {
  const { databaseUrl, eventStoreUrl, log, ...connections } = options;
  await requireSameLog(databaseUrl, eventStoreUrl);
  if (eventStoreUrl === null) {
    const opened = await createPostgresEventLog(databaseUrl, { ...connections, log });
    return { ...opened, kind: "event_log", mismatch: () => null };
  }
  // Loading the client takes 0.3 s, which a service without an event store saves.
  const { createEventStoreDbEventLog } = await import("../eventstoredb/eventstoredb-event-log.ts");
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
