import { sql } from "slonik";
import { z } from "zod";
import { openSession } from "#infra/postgres/session.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { LogMismatch } from "./errors.ts";
import type { Checkpoint, EventLog } from "./event-log.ts";

/** EVENTSTORE_URL and the database do not belong together, or no server answers. */
export class UnusableEventStore extends Error {
  override readonly name = "UnusableEventStore";
}

const Content = z.object({ hasEvents: z.boolean(), hasCheckpoints: z.boolean() });

/**
 * Positions of one log mean nothing in another, so read models may continue only with the log that
 * they were built from.
 * @throws UnusableEventStore
 */
export async function requireSameLog(
  databaseUrl: string,
  eventStoreUrl: string | null,
): Promise<void> {
  await using session = await openSession(databaseUrl, "event log choice");
  const { hasEvents, hasCheckpoints } = await statementsOn(session.client).one(sql.type(Content)`
    select exists (select from event_log.events) as "hasEvents",
      exists (select from read_model.checkpoints where position <> '') as "hasCheckpoints"`);
  if (eventStoreUrl !== null && hasEvents) {
    throw new UnusableEventStore("the database holds an event log, which would be left behind");
  }
  if (eventStoreUrl === null && hasCheckpoints && !hasEvents) {
    throw new UnusableEventStore("it must be set: the read models come from an event store");
  }
}

/**
 * Verifies that a checkpoint's event is still at its position. A checkpoint without an id cannot be
 * verified and passes.
 * @throws LogMismatch
 */
export async function requireSamePlace(
  log: Pick<EventLog, "eventAt">,
  { position, eventId }: Checkpoint,
): Promise<void> {
  if (eventId === null) return;
  const found = await log.eventAt(position);
  if (found === eventId) return;
  throw new LogMismatch(`event ${eventId} is not at ${position} of the log`);
}
