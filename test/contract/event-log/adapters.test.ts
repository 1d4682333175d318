import { afterAll } from "vitest";
import { createEventStoreDbEventLog } from "#infra/log/eventstoredb-event-log.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import { useDatabase } from "../../support/database.ts";
import { findRealServer } from "../../support/eventstore/real-server.ts";
import { useEventStore } from "../../support/eventstore/use-event-store.ts";
import { createInMemoryEventLog } from "../../support/in-memory-event-log.ts";
import { eventLogContract } from "./event-log-contract.ts";

const database = useDatabase();
const server = useEventStore();

eventLogContract("memory", async () => createInMemoryEventLog());
eventLogContract("PostgreSQL", () => createPostgresEventLog(database.url));
eventLogContract("EventStoreDB's protocol", async () => createEventStoreDbEventLog(server.url));

const real = await findRealServer();
if (real !== null) {
  afterAll(real.stop);
  eventLogContract("EventStoreDB itself", async () => createEventStoreDbEventLog(real.url));
}
