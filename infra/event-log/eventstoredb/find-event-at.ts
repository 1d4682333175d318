import { FORWARDS } from "@eventstore/db-client";
import type { Position } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { isInvalidPosition } from "./failures.ts";
import { fromPosition, toPosition } from "./position.ts";
import { takeAll } from "./take-all.ts";

/** Id of the event at a position, including the server's own events; null without one. */
export async function findEventAt(
  { client, credentials, onLeader }: Connection,
  position: Position,
  timeoutMs: number,
): Promise<string | null> {
  const place = fromPosition(position);
  if (place === null) return null;
  const options = {
    direction: FORWARDS,
    fromPosition: place,
    maxCount: 1,
    credentials,
    requiresLeader: true,
  } as const;
  try {
    const [found] = await onLeader(performance.now() + timeoutMs, () =>
      takeAll(client.readAll(options), timeoutMs),
    );
    const event = found?.event;
    return event && toPosition(event.position) === position ? event.id : null;
  } catch (error) {
    if (isInvalidPosition(error)) return null;
    throw error;
  }
}
