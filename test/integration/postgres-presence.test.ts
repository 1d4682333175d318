import { expect, it, onTestFinished } from "vitest";
import { createPresence, type Presence } from "#infra/postgres/presence.ts";
import { useDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";

const database = useDatabase({ empty: true });

async function openPresence(applicationName = "presence"): Promise<Presence> {
  const presence = await createPresence(database.url, { applicationName });
  onTestFinished(() => presence.close());
  return presence;
}

it("shows a process to the others while it is there", async () => {
  const [one, two] = [await openPresence(), await createPresence(database.url)];
  expect(await one.isAlive(one.key)).toBe(true);
  expect(await one.isAlive(two.key)).toBe(true);
  await two.close();
  await expect.poll(() => one.isAlive(two.key)).toBe(false);
});

it("tells of many keys at once which are there", async () => {
  const [one, two] = [await openPresence(), await openPresence()];
  expect(await one.alive([one.key, two.key, "1"])).toEqual(new Set([one.key, two.key]));
  expect(await one.alive([])).toEqual(new Set());
});

it("gives every process a key of its own, a positive 63-bit number", async () => {
  const keys = [(await openPresence()).key, (await openPresence()).key];
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) {
    expect(key).toMatch(/^\d{1,19}$/);
    expect(BigInt(key) < 1n << 63n).toBe(true);
  }
});

it("comes back under the same key when its connection was lost", async () => {
  const [one, watcher] = [await openPresence("doomed"), await openPresence()];
  await withClient(database.url, (client) =>
    client.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and application_name = 'doomed'`,
    ),
  );
  await expect.poll(() => watcher.isAlive(one.key)).toBe(true);
  await expect.poll(() => one.isAlive(watcher.key).catch(() => false)).toBe(true);
});

it("closes while its connection is lost", async () => {
  const watcher = await openPresence();
  const one = await createPresence(database.url, { applicationName: "doomed too" });
  await withClient(database.url, (client) =>
    client.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and application_name = 'doomed too'`,
    ),
  );
  await one.close();
  expect(await watcher.isAlive(one.key)).toBe(false);
});
