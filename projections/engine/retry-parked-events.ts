import type { Pool } from "pg";
import type { ParkedSubject } from "#contracts/http/parked-events.ts";
import { Unavailable } from "#infra/event-log/errors.ts";
import type { EventLog, RecordedEvent } from "#infra/event-log/event-log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { holdCheckpoint } from "./checkpoint.ts";
import { NotUndone, undoGivenUp } from "./left-rows.ts";
import { type ParkedPlace, parkedPlaces, removeParked } from "./parked-events.ts";
import type { Projection } from "./projection.ts";
import { inReadModel, LIVE_SCHEMA } from "./read-model-schema.ts";

/**
 * Applies a subject's parked events in order and unblocks its later events, in one transaction, so
 * that readers see the subject either as before or complete.
 * @returns the number of events applied; 0 when none was parked
 * @throws the error of an event that cannot be applied; all events then stay parked
 */
export async function retryParkedEvents(
  pool: Pool,
  log: Pick<EventLog, "read">,
  projection: Projection,
  subject: string,
): Promise<number> {
  return inReadModel(pool, LIVE_SCHEMA, async (transaction) => {
    // Prevents batches meanwhile, so that no event is parked after those read here.
    await holdCheckpoint(transaction, projection.name);
    const places = await parkedPlaces(transaction, projection.name, subject);
    if (places.length === 0) return 0;
    await projection.clearParked?.(transaction, subject);
    for (const place of places) {
      const event = await eventAt(log, place);
      try {
        await projection.apply(transaction, [event]);
      } catch (error) {
        if (!(error instanceof NotUndone)) throw error;
        await undoGivenUp((work) => work(transaction), projection.tables, { key: error.key });
        await projection.apply(transaction, [event]);
      }
    }
    await removeParked(transaction, projection.name, subject);
    return places.length;
  });
}

/** The event still cannot be applied; the cause is the reason. */
export class StillParked extends Error {
  override readonly name = "StillParked";
}

/**
 * Retries a blocked subject of `listParked`.
 * @returns the number of events applied
 * @throws StillParked; transient errors of database and log
 */
export async function retryParked(
  pool: Pool,
  log: Pick<EventLog, "read">,
  projections: readonly Projection[],
  parked: Pick<ParkedSubject, "projection" | "subject">,
): Promise<number> {
  const projection = projections.find(({ name }) => name === parked.projection);
  if (!projection) throw new StillParked(`There is no projection ${parked.projection} any more`);
  try {
    return await retryParkedEvents(pool, log, projection, parked.subject);
  } catch (error) {
    if (isTransient(error) || error instanceof Unavailable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StillParked(`${parked.subject} still cannot be brought up to date: ${reason}`, {
      cause: error,
    });
  }
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
