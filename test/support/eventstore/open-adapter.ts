import { onTestFinished } from "vitest";
import type { EventLog } from "#infra/log/event-log.ts";
import {
  createEventStoreDbEventLog,
  type EventStoreDbEventLogOptions,
} from "#infra/log/eventstoredb-event-log.ts";
import {
  type EventStoreServer,
  type EventStoreServerOptions,
  startEventStoreServer,
} from "./event-store-server.ts";

/** The adapter for one test. */
export function openAdapter(
  { url }: Pick<EventStoreServer, "url">,
  options: EventStoreDbEventLogOptions = {},
): EventLog {
  const log = createEventStoreDbEventLog(url, options);
  onTestFinished(() => log.close());
  return log;
}

export async function serverForTest(
  options: EventStoreServerOptions = {},
): Promise<EventStoreServer> {
  const server = await startEventStoreServer(options);
  onTestFinished(() => server.stop());
  return server;
}

export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error,
  );
}
