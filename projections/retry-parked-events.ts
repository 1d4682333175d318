import type { Pool } from "pg";
import type { EventLog, RecordedEvent } from "#infra/event-log/event-log.ts";
import { holdCheckpoint } from "./checkpoint.ts";
import { type ParkedPlace, parkedPlaces, removeParked } from "./parked-events.ts";
import type { Projection } from "./projection.ts";
import { inReadModel, LIVE_SCHEMA } from "./read-model-schema.ts";

/**
 * Applies what is parked of a subject, in order, and lets its later events through again: all in
 * one transaction, so that readers see the subject as it was or as it should be.
 * @returns how many events were applied; 0 when none was parked
 * @throws whatever stands against applying one of them: everything is then parked as before
 */
export async function retryParkedEvents(
  pool: Pool,
  log: Pick<EventLog, "read">,
  projection: Projection,
  subject: string,
): Promise<number> {
  return inReadModel(pool, LIVE_SCHEMA, async (transaction) => {
    // Meanwhile no batch is applied, so nothing is parked behind what is read here.
    await holdCheckpoint(transaction, projection.name);
    const places = await parkedPlaces(transaction, projection.name, subject);
    if (places.length === 0) return 0;
    await projection.clearParked?.(transaction, subject);
    for (const place of places) {
      await projection.apply(transaction, [await eventAt(log, place)]);
    }
    await removeParked(transaction, projection.name, subject);
    return places.length;
  });
}

async function eventAt(
  log: Pick<EventLog, "read">,
  { stream, revision }: ParkedPlace,
): Promise<RecordedEvent> {
  const [event] = await log.read(stream, revision, 1);
  if (event?.revision !== revision) {
    throw new Error(`the log has no revision ${revision} of ${stream}, which is parked`);
  }
  return event;
}
