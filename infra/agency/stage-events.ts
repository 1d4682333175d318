import { idsOf } from "#contracts/seismic-event/public-id.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { AnsweredEvent, PlacedEvent } from "./agency-event.ts";
import type { UnreadableRow } from "./answer-reader.ts";

export type CompleteAnswer = {
  readonly events: readonly AnsweredEvent[];
  readonly unreadable: readonly UnreadableRow[];
  /** Describes the answer for people. */
  readonly answer: string;
};

/** A row or answer of the agency that could not be used: which one and why. */
export type AgencyProblem = UnreadableRow & Pick<CompleteAnswer, "answer">;

/**
 * Merges the answers for a window's boxes: the events of one window, each id once. Of several forms of one event the most recently created
 * stays, or the later one if creation times are missing. Events are identified by public id, else by
 * bare id; events without an id are all kept.
 */
export function stageEvents(answers: readonly CompleteAnswer[]) {
  const events: PlacedEvent[] = [];
  const unreadable = answers.flatMap(({ unreadable, answer }) =>
    unreadable.map((row): AgencyProblem => ({ ...row, answer })),
  );
  const places = { public: new Map<string, number>(), bare: new Map<string, number>() };
  /** Superseded forms of events: earlier in the same answer, or from another box. */
  let repeated = 0;
  const all = answers.flatMap(({ events, answer }) =>
    events.map((answered): PlacedEvent => ({ ...answered, answer })),
  );
  for (const one of all) {
    const { source_id: givenId, extra } = one.event;
    const { sourceId, publicId } = idsOf({ source_id: givenId, extra });
    const id = publicId ?? sourceId;
    const index = publicId === null ? places.bare : places.public;
    const place = id === null ? undefined : index.get(id);
    if (place === undefined) {
      if (id !== null) index.set(id, events.length);
      events.push(one);
    } else {
      repeated += 1;
      if (creationOf(one) >= creationOf(events[place])) events[place] = one;
    }
  }
  return { events, unreadable, repeated };
}

function creationOf(placed: PlacedEvent | undefined): string {
  const extra = placed?.event["extra"];
  const time = isJsonObject(extra) ? extra["creation_time"] : null;
  return typeof time === "string" ? time : "";
}
