import { randomUUID } from "node:crypto";
import { LOG_STREAM } from "#contracts/names.ts";
import { fromRecorded, toNewEvents } from "./domain-events.ts";
import { WrongExpectedRevision } from "./errors.ts";
import { type EventLog, NO_STREAM } from "./event-log.ts";

/** The identity stored in the log; null without one. */
export async function readLogIdentity(log: Pick<EventLog, "read">): Promise<string | null> {
  const [recorded] = await log.read(LOG_STREAM, 0, 1);
  if (recorded === undefined) return null;
  const event = fromRecorded(recorded);
  if (event.type !== "LogIdentified") throw new Error(`${event.type} begins ${LOG_STREAM}`);
  return event.data.logId;
}

/**
 * The log's identity, created when missing. Of several concurrent writers one succeeds, and all get
 * the same.
 */
export async function identifyLog(
  log: Pick<EventLog, "read" | "append">,
  now: () => Date,
): Promise<string> {
  const present = await readLogIdentity(log);
  if (present !== null) return present;
  const logId = randomUUID();
  const origin = { commandId: randomUUID(), actor: "system", at: now() };
  const events = toNewEvents(LOG_STREAM, 0, [{ type: "LogIdentified", data: { logId } }], origin);
  try {
    await log.append(LOG_STREAM, NO_STREAM, events);
    return logId;
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    return identifyLog(log, now);
  }
}
