import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CHANNEL, createNotifier, type Notifier } from "#infra/event-log/postgres/notifier.ts";
import { SILENT } from "#infra/kernel/log.ts";
import {
  createPreparedStatements,
  type PreparedStatements,
} from "#infra/postgres/prepared-statements.ts";
import { useDatabase } from "../../support/database.ts";

const database = useDatabase();
let statements: PreparedStatements;
let listening: Client;
const heard: string[] = [];

beforeAll(async () => {
  statements = createPreparedStatements(database.url, { applicationName: "notifier-test" });
  listening = new Client({ connectionString: database.url });
  await listening.connect();
  listening.on("notification", ({ payload = "" }) => heard.push(payload));
  await listening.query(`listen ${CHANNEL}`);
});
afterAll(async () => {
  await listening.end();
  await statements.close();
});

/** How many notifications have come in all; they come before the answer to a later statement. */
async function heardAfter(notifier: Notifier): Promise<number> {
  notifier.notify();
  await notifier.idle();
  await listening.query("select");
  return heard.length;
}

it("tells every listener, each time, and knows its own notifications again", async () => {
  const [notifier, other] = [
    createNotifier(statements, SILENT),
    createNotifier(statements, SILENT),
  ];
  for (let times = 1; times <= 3; times += 1) expect(await heardAfter(notifier)).toBe(times);
  expect(heard.every((payload) => notifier.isOwn(payload) && !other.isOwn(payload))).toBe(true);
});
