import { escapeIdentifier } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { openSession, SILENT, watchDatabase } from "#infra/postgres/connection.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { useDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { relayTo } from "../support/tcp-relay.ts";

const database = useDatabase({ empty: true });
const LONGER_THAN_PATIENCE_S = 5.5;

function watchForTest(url: string) {
  const watch = watchDatabase(url, SILENT);
  onTestFinished(watch.close);
  return watch;
}

test("the watch lets a statement take its time while the database answers others; of one that has fallen silent it cuts what waits, refuses more, and lets it in again", async () => {
  const slow = watchForTest(database.url);
  const patient = await openSession(database.url, "slow", slow.openSocket);
  const sleeping = patient.client.query("select pg_sleep($1)::text as done", [
    LONGER_THAN_PATIENCE_S,
  ]);
  const relay = await relayTo(database.url);
  onTestFinished(relay.close);
  const { openSocket } = watchForTest(relay.url);
  const session = await openSession(relay.url, "waiting", openSocket);
  const goOn = relay.stall();
  const cut = await session.client.query("select 1").catch((error: unknown) => error);
  expect(isTransient(cut)).toBe(true);
  expect(session.lost.aborted).toBe(true);
  const refused = await openSession(relay.url, "refused", openSocket).catch((error) => error);
  expect(refused).toEqual(cut);
  goOn();
  const again = () => openSession(relay.url, "again", openSocket).then(({ close }) => close());
  await expect.poll(again, { timeout: 10_000 }).toBeUndefined();
  expect((await sleeping).rows).toEqual([{ done: "" }]);
  await patient.close();
});

test("a database that its operator has closed to connections is a temporary failure", async () => {
  const name = escapeIdentifier(new URL(database.url).pathname.slice(1));
  const allow = (allowed: boolean) =>
    withClient(inject("databaseUrl"), (admin) =>
      admin.query(`alter database ${name} with allow_connections ${allowed}`),
    );
  await allow(false);
  const refused = await openSession(database.url, "refused").catch((error: unknown) => error);
  await allow(true);
  expect(isTransient(refused)).toBe(true);
});
