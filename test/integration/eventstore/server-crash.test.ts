import { expect, it, onTestFinished } from "vitest";
import { atLeast, collect } from "../../contract/event-log/collect.ts";
import { newEvents, uniqueName } from "../../contract/event-log/new-events.ts";
import { startEventStoreProcess } from "../../support/eventstore/event-store-process.ts";
import { openAdapter } from "./open-adapter.ts";

it("what was acknowledged outlasts kills of the server, and is given once", async () => {
  const server = await startEventStoreProcess();
  onTestFinished(server.stop);
  const log = openAdapter(server);
  const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
  const after = await log.head();
  const subscribed = collect(log, { after, types: [type], enough: atLeast(60) });
  const killing = (async () => {
    for (let round = 0; round < 3; round += 1) {
      const { length } = await log.read(stream, 0, 100).catch(() => []);
      await expect
        .poll(() => log.read(stream, length, 1).catch(() => []), { timeout: 30_000 })
        .toHaveLength(1);
      await server.kill();
      await server.restart();
    }
  })();
  for (let revision = 0; revision < 60; revision += 1) {
    const events = newEvents(1, { type });
    const append = () => log.append(stream, revision - 1, events).catch(() => null);
    await expect.poll(append, { timeout: 30_000 }).toMatchObject({ revision });
  }
  await killing;
  const { events } = await subscribed;
  expect(events.map(({ revision }) => revision)).toEqual(
    Array.from({ length: 60 }, (_, index) => index),
  );
});
