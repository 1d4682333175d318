import { afterAll } from "vitest";
import { createEventStoreDbEventLog } from "#infra/event-log/eventstoredb/eventstoredb-event-log.ts";
import { findRealServer } from "../../support/eventstore/real-server.ts";
import { useEventStore } from "../../support/eventstore/use-event-store.ts";
import { eventLogContract } from "./event-log-contract.ts";

const server = useEventStore();

eventLogContract("EventStoreDB's protocol", async () => createEventStoreDbEventLog(server.url));

const real = await findRealServer();
if (real !== null) {
  afterAll(real.stop);
  eventLogContract("EventStoreDB itself", async () => createEventStoreDbEventLog(real.url));
}
