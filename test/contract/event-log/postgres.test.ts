import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { useDatabase } from "../../support/database.ts";
import { eventLogContract } from "./event-log-contract.ts";

const database = useDatabase();

eventLogContract("PostgreSQL", () => createPostgresEventLog(database.url));
