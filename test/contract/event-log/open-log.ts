import { onTestFinished } from "vitest";
import type { EventLog } from "#infra/event-log/event-log.ts";

/** A log for one test, closed when the test is finished. */
export async function openLog<L extends EventLog>(makeLog: () => Promise<L>): Promise<L> {
  const log = await makeLog();
  onTestFinished(() => log.close());
  return log;
}
