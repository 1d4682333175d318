import { escapeIdentifier } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { SILENT } from "#infra/kernel/log.ts";
import { watchDatabase } from "#infra/postgres/database-watch.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { openSession } from "#infra/postgres/session.ts";
import { useDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";

const database = useDatabase({ empty: true });
const LONGER_THAN_PATIENCE_S = 5.5;

function watchForTest(url: string) {
  const watch = watchDatabase(url, SILENT);
  onTestFinished(watch.close);
  return watch;
}

test("the watch lets a statement take its time while the database answers others", async () => {
  const { openSocket } = watchForTest(database.url);
  const session = await openSession(database.url, "slow", openSocket);
  const { rows } = await session.client.query("select pg_sleep($1)::text as done", [
    LONGER_THAN_PATIENCE_S,
  ]);
  expect(rows).toEqual([{ done: "" }]);
  await session.close();
});

test("the watch cuts what waits for a database that has fallen silent, refuses more, and lets it in again", async () => {
  const url = new URL(database.url);
  const relay = await startTcpRelay(() => Number(new URL(database.url).port));
  onTestFinished(relay.close);
  url.port = String(relay.port);
  const { openSocket } = watchForTest(url.href);
  const session = await openSession(url.href, "waiting", openSocket);
  const goOn = relay.stall();
  const cut = await session.client.query("select 1").catch((error: unknown) => error);
  expect(isTransient(cut)).toBe(true);
  expect(session.lost.aborted).toBe(true);
  const refused = await openSession(url.href, "refused", openSocket).catch((error) => error);
  expect(refused).toEqual(cut);
  goOn();
  await expect
    .poll(() => openSession(url.href, "again", openSocket).then(({ close }) => close()), {
      timeout: 10_000,
    })
    .toBeUndefined();
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
