import { expect, it } from "vitest";
import { NO_STREAM } from "#infra/event-log/event-log.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
import { withClient } from "../../support/database-template.ts";
import { startForTest } from "../../support/embedded-server.ts";
import { collectingLogger } from "../../support/logger.ts";
import { preparedDataDir } from "../../support/prepared-data-dir.ts";
import { newEvents, uniqueName } from "./new-events.ts";
import { openLog } from "./open-log.ts";

it("a transaction that is left open is reported once while it holds events back, and when it ends", async () => {
  // Transactions of other tests on the common server would be reported as well.
  const { url } = await startForTest(await preparedDataDir());
  const { log: logger, lines } = collectingLogger();
  const log = await openLog(() =>
    createPostgresEventLog(url, { log: logger, stallThresholdMs: 100 }),
  );
  await withClient(url, async (client) => {
    await client.query("set application_name = 'forgetful'");
    const { rows } = await client
      .query("begin; select pg_current_xact_id()")
      .then(() => client.query<{ pid: number }>("select pg_backend_pid() as pid"));
    await log.append(uniqueName("stream"), NO_STREAM, newEvents(1));
    await expect.poll(() => log.stall(), { timeout: 5_000 }).not.toBeNull();
    expect(log.stall()?.holder).toEqual({
      pid: rows[0]?.pid,
      applicationName: "forgetful",
      state: "idle in transaction",
      ageSeconds: expect.any(Number),
    });
    await client.query("rollback");
  });
  await expect.poll(() => log.stall(), { timeout: 5_000 }).toBeNull();
  const messages = lines.map(({ msg }) => msg);
  expect(messages).toEqual([
    "a transaction holds back the readable end of the event log",
    "the event log is readable to its end again",
  ]);
});
