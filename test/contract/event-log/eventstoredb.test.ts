import { createEventStoreDbEventLog } from "#infra/event-log/eventstoredb/eventstoredb-event-log.ts";
import { useEventStore } from "../../support/eventstore/use-event-store.ts";
import { eventLogContract } from "./event-log-contract.ts";

const server = useEventStore();

eventLogContract("EventStoreDB's protocol", async () => createEventStoreDbEventLog(server.url));
