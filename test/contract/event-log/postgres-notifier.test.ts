import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CHANNEL, createNotifier, type Notifier } from "#infra/event-log/postgres/notifier.ts";
import { SILENT } from "#infra/postgres/log.ts";
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

it("says nothing where nobody else listens, and all once another does", async () => {
  const [notifier, other] = [
    createNotifier(statements, SILENT),
    createNotifier(statements, SILENT),
  ];
  await listening.query(notifier.shownBy);
  expect(await heardAfter(notifier)).toBe(1);
  for (let times = 0; times < 3; times += 1) expect(await heardAfter(notifier)).toBe(1);

  await listening.query(other.shownBy);
  await expect.poll(() => heardAfter(notifier), { timeout: 10_000 }).toBe(2);
  expect(await heardAfter(notifier)).toBe(3);
  expect(heard.every((payload) => notifier.isOwn(payload) && !other.isOwn(payload))).toBe(true);
});

it("is shown twice while an old connection is not known to be lost", async () => {
  const notifier = createNotifier(statements, SILENT);
  const again = new Client({ connectionString: database.url });
  await again.connect();
  await listening.query(notifier.shownBy);
  await expect(again.query(notifier.shownBy)).resolves.toMatchObject({ rowCount: 1 });
  await again.end();
});
