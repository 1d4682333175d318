import { type EventLog, eventsToHead, type RecordedEvent, START } from "#infra/log/event-log.ts";
import { createEventStoreDbEventLog } from "#infra/log/eventstoredb-event-log.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import { withClient } from "./database-template.ts";
import { startEventStoreProcess } from "./eventstore/event-store-process.ts";
import { startEventStoreServer } from "./eventstore/event-store-server.ts";
import { type RealServer, startContainer } from "./eventstore/real-server.ts";

/**
 * Which log services under test have: in PostgreSQL, in a test server of EventStoreDB's protocol (or a
 * server of EVENTSTORE_TEST_COMMAND), or in an EventStoreDB of their own in a container.
 */
const KINDS = ["postgres", "eventstoredb", "eventstoredb-docker"] as const;
export type TestLogKind = (typeof KINDS)[number];

/** The log of a service under test, beside the service. */
export type ServiceLog = {
  /** What the service has to be given to use it. */
  readonly variables: Readonly<Record<string, string>>;
  /** To be closed by the caller. */
  open(): Promise<EventLog>;
  count(): Promise<number>;
  /** Every event, as the log keeps it. */
  text(): Promise<string>;
  close(): Promise<void>;
};

export function testLogKind(): TestLogKind {
  return KINDS.find((kind) => kind === process.env["TEST_EVENT_LOG"]) ?? "postgres";
}

export async function startServiceLog(kind: TestLogKind, databaseUrl: string): Promise<ServiceLog> {
  switch (kind) {
    case "postgres":
      return inDatabase(databaseUrl);
    case "eventstoredb":
      return inEventStore(
        process.env["EVENTSTORE_TEST_COMMAND"]
          ? await startEventStoreProcess()
          : await startEventStoreServer(),
      );
    case "eventstoredb-docker":
      return inEventStore(await startContainer());
    default: {
      const unknown: never = kind;
      throw new Error(`unknown kind of log: ${unknown}`);
    }
  }
}

function inDatabase(databaseUrl: string): ServiceLog {
  /** Not by the adapter: a transaction of another test may keep it from reading to the end. */
  const query = <T extends object>(sql: string): Promise<T[]> =>
    withClient(databaseUrl, async (client) => (await client.query<T>(sql)).rows);
  return {
    variables: {},
    open: () => createPostgresEventLog(databaseUrl),
    async count() {
      const [row] = await query<{ count: number }>(
        "select count(*)::integer as count from event_log.events",
      );
      return row?.count ?? 0;
    },
    async text() {
      const rows = await query<{ line: string }>(
        `select concat_ws(' ', stream, type, data::text, metadata::text,
           encode(payload, 'escape')) as line from event_log.events`,
      );
      return rows.map(({ line }) => line).join("\n");
    },
    close: async () => undefined,
  };
}

function inEventStore({ url, stop }: RealServer): ServiceLog {
  const lines = async (): Promise<string[]> => {
    const log = createEventStoreDbEventLog(url);
    const found: string[] = [];
    try {
      for await (const { events } of eventsToHead(log, START, new AbortController().signal)) {
        found.push(...events.map(lineOf));
      }
      return found;
    } finally {
      await log.close();
    }
  };
  return {
    variables: { EVENTSTORE_URL: url },
    open: async () => createEventStoreDbEventLog(url),
    count: async () => (await lines()).length,
    text: async () => (await lines()).join("\n"),
    close: stop,
  };
}

function lineOf({ stream, type, data, metadata }: RecordedEvent): string {
  const content = data instanceof Uint8Array ? Buffer.from(data).toString() : JSON.stringify(data);
  return `${stream} ${type} ${content} ${JSON.stringify(metadata)}`;
}
