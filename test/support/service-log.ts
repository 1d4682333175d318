import type { EventLog } from "#infra/event-log/event-log.ts";
import { createEventStoreDbEventLog } from "#infra/event-log/eventstoredb/eventstoredb-event-log.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { withClient } from "./database-template.ts";
import { type EventStoreServer, startEventStoreServer } from "./eventstore/event-store-server.ts";

/** Which log the service under test has: TEST_EVENT_LOG=eventstoredb runs all of them on that. */
export type TestLogKind = "postgres" | "eventstoredb";

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
  return process.env["TEST_EVENT_LOG"] === "eventstoredb" ? "eventstoredb" : "postgres";
}

export async function startServiceLog(kind: TestLogKind, databaseUrl: string): Promise<ServiceLog> {
  return kind === "postgres"
    ? inDatabase(databaseUrl)
    : inEventStore(await startEventStoreServer());
}

function inDatabase(databaseUrl: string): ServiceLog {
  /** Not by the adapter: a transaction of another test may keep it from reading to the end. */
  const lines = (): Promise<string[]> =>
    withClient(databaseUrl, async (client) => {
      const { rows } = await client.query<{ line: string }>(
        `select concat_ws(' ', stream, type, data::text, metadata::text,
           encode(payload, 'escape')) as line from event_log.events`,
      );
      return rows.map(({ line }) => line);
    });
  return {
    variables: {},
    open: () => createPostgresEventLog(databaseUrl),
    count: async () => (await lines()).length,
    text: async () => (await lines()).join("\n"),
    close: async () => undefined,
  };
}

function inEventStore({ url, store, stop }: EventStoreServer): ServiceLog {
  return {
    variables: { EVENTSTORE_URL: url },
    open: async () => createEventStoreDbEventLog(url),
    count: async () => store.all.length,
    text: async () =>
      store.all
        .map(({ stream, type, data, metadata }) =>
          [stream, type, ...[data, metadata].map((bytes) => Buffer.from(bytes).toString())].join(
            " ",
          ),
        )
        .join("\n"),
    close: stop,
  };
}
