import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { NO_STREAM, Unavailable } from "#infra/log/event-log.ts";
import { collect, newEvents, uniqueName } from "../../support/event-log.ts";
import { startEventStoreProcess } from "../../support/eventstore/event-store-process.ts";
import { openAdapter } from "../../support/eventstore/open-adapter.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

it("a server of a program that is named starts, is killed with all that it started, and comes back", async () => {
  const directory = await temporaryDirectory();
  const command = join(directory, "run-server");
  const program = fileURLToPath(new URL("../../support/event-store-main.ts", import.meta.url));
  // It does not become the server: it starts one.
  const script = `#!/bin/sh\n"${process.execPath}" "${program}" "$1" "$3"\nexit 1\n`;
  await writeFile(command, script, { mode: 0o700 });
  const server = await startEventStoreProcess(command);
  onTestFinished(server.stop);
  const log = openAdapter(server);
  const stream = uniqueName("stream");
  await log.append(stream, NO_STREAM, newEvents(1));
  await server.kill();
  await expect(log.read(stream, 0, 1)).rejects.toThrow(Unavailable);
  await server.restart();
  await expect
    .poll(() => log.read(stream, 0, 9).catch(() => []), { timeout: 30_000 })
    .toHaveLength(1);
});

it("what was acknowledged outlasts kills of the server, and is given once", async () => {
  const server = await startEventStoreProcess();
  onTestFinished(server.stop);
  const log = openAdapter(server);
  const [stream, type] = [uniqueName("stream"), uniqueName("Type")];
  const after = await log.head();
  const subscribed = collect(log, { after, types: [type], enough: 60 });
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
