import { expect, it } from "vitest";
import { NO_STREAM } from "#infra/event-log/event-log.ts";
import { newEvents, uniqueName } from "../../contract/event-log/new-events.ts";
import { anyEvent, bareClient, failureOf } from "../../support/eventstore/bare-client.ts";
import { spawnBareClient } from "../../support/eventstore/bare-client-process.ts";
import { openAdapter, serverForTest } from "./open-adapter.ts";

/** Two servers: one answers appends when it is told to, the other fails them. */
async function slowAndFailing() {
  const [slow, failing] = [await serverForTest(), await serverForTest()];
  const released = Promise.withResolvers<void>();
  slow.faults.appends.push({ kind: "wait", until: released.promise });
  failing.faults.appends.push({ kind: "fail-before", status: "CANCELLED" });
  return { slow, failing, release: () => released.resolve() };
}

it("the failure of one client fails the appends of all others in the process", async () => {
  const { slow, failing } = await slowAndFailing();
  const waiting = bareClient(slow).appendToStream(uniqueName("stream"), anyEvent());
  await expect.poll(() => slow.faults.appends).toEqual([]);
  await failureOf(bareClient(failing).appendToStream(uniqueName("stream"), anyEvent()));
  expect(await failureOf(waiting)).toMatchObject({ type: "cancelled" });
});

it("an answer that comes after such a failure ends the process", async () => {
  const { slow, failing, release } = await slowAndFailing();
  const child = spawnBareClient("late-answer", slow.url, failing.url);
  expect(await child.reached()).toBe("both have failed");
  release();
  const { exitCode, complaint } = await child.ended();
  expect(exitCode).not.toBe(0);
  expect(complaint).toContain("TypeError");
});

it("the failure of one adapter's connection leaves another's append alone", async () => {
  const { slow, failing, release } = await slowAndFailing();
  const events = newEvents(2);
  const waiting = openAdapter(slow).append(uniqueName("stream"), NO_STREAM, events);
  await expect.poll(() => slow.faults.appends).toEqual([]);
  await failureOf(openAdapter(failing).append(uniqueName("stream"), NO_STREAM, newEvents(1)));
  release();
  expect(await waiting).toMatchObject({ revision: 1 });
});

it("a connection that breaks while appends wait to be written ends the client's process", async () => {
  const server = await serverForTest();
  const child = spawnBareClient("broken", server.url);
  expect(await child.reached()).toBe("appending");
  while (child.isRunning()) {
    const before = server.store.all.length;
    await expect
      .poll(() => !child.isRunning() || server.store.all.length > before, { timeout: 30_000 })
      .toBe(true);
    await server.stop();
    await server.start();
  }
  const { exitCode, complaint } = await child.ended();
  expect(exitCode).not.toBe(0);
  expect(complaint).toMatch(/CANCELLED|UNAVAILABLE/);
});

it("appends of the adapter that are repeated at once while the connection breaks again and again happen once", async () => {
  const server = await serverForTest();
  const log = openAdapter(server);
  const streams = Array.from({ length: 30 }, () => uniqueName("stream"));
  let isBreaking = true;
  const append = async (stream: string): Promise<number> => {
    let count = 0;
    for (; isBreaking; count += 1) {
      const events = newEvents(1);
      const revision = count === 0 ? NO_STREAM : count - 1;
      for (let isDone = false; !isDone; ) {
        isDone = await log.append(stream, revision, events).then(
          () => true,
          () => false,
        );
      }
    }
    return count;
  };
  const appending = Promise.all(streams.map(append));
  for (let round = 0; round < 5; round += 1) {
    const before = server.store.all.length;
    await expect.poll(() => server.store.all.length, { timeout: 60_000 }).toBeGreaterThan(before);
    await server.stop();
    await server.start();
  }
  isBreaking = false;
  const counts = await appending;
  expect(streams.map((stream) => server.store.stream(stream)?.length)).toEqual(counts);
});
