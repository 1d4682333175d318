/** Publishes a catalogue's parts to a folder, once its parent says so, in a process that tests kill. */

import { once } from "node:events";
import { openSession } from "#infra/postgres/connection.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { versionsForParts } from "#projections/read/exports.ts";
import { publishParts } from "#services/parts/publish.ts";

const [databaseUrl = "", id = "", directory = ""] = process.argv.slice(2);
await using session = await openSession(databaseUrl, "publisher of tests");
const [latest] = await versionsForParts(statementsOn(session.client), id);
if (latest === undefined) throw new Error("there is no such catalogue");
process.send?.("ready");
await once(process, "message");
await publishParts(session.client, directory, latest);
process.disconnect();
