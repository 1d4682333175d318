import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { AgencyEvent } from "./agency-event.ts";
import type { UnreadableRow } from "./answer-reader.ts";

/** What complete answers have given of one window, each public id once. */
export type StagedEvents = {
  readonly events: readonly AgencyEvent[];
  readonly unreadable: readonly UnreadableRow[];
  /** Events that came again under an id that was there already, in the same answer or in another box's. */
  readonly repeated: number;
};

/**
 * Brings the answers for a window's boxes together. Of an id that is there twice the form that was
 * made last stays, the later one where that is not said. Events without an id are all kept.
 */
export function stageEvents(
  answers: readonly Pick<StagedEvents, "events" | "unreadable">[],
): StagedEvents {
  const events: AgencyEvent[] = [];
  const places = new Map<string, number>();
  let repeated = 0;
  for (const event of answers.flatMap((answer) => answer.events)) {
    const id = event["source_id"];
    const place = typeof id === "string" ? places.get(id) : undefined;
    if (place === undefined) {
      if (typeof id === "string") places.set(id, events.length);
      events.push(event);
      continue;
    }
    repeated += 1;
    const earlier = events[place];
    if (earlier === undefined || creationTime(event) >= creationTime(earlier)) {
      events[place] = event;
    }
  }
  return { events, repeated, unreadable: answers.flatMap((answer) => answer.unreadable) };
}

function creationTime({ extra }: AgencyEvent): string {
  const time = isObject(extra) ? extra["creation_time"] : undefined;
  return typeof time === "string" ? time : "";
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
