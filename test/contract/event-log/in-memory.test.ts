import { createInMemoryEventLog } from "../../support/in-memory-event-log.ts";
import { eventLogContract } from "./event-log-contract.ts";

eventLogContract("memory", async () => createInMemoryEventLog());
