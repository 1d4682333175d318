import { idsOf } from "#contracts/seismic-event/public-id.ts";
import type { AnsweredEvent, PlacedEvent } from "./agency-event.ts";
import type { UnreadableRow } from "./answer-reader.ts";

/** What a complete answer has given. */
export type CompleteAnswer = {
  readonly events: readonly AnsweredEvent[];
  readonly unreadable: readonly UnreadableRow[];
  /** Which answer it is, for a person. */
  readonly answer: string;
};

export type PlacedRow = UnreadableRow & Pick<CompleteAnswer, "answer">;

/** What complete answers have given of one window, each id once. */
export type StagedEvents = {
  readonly events: readonly PlacedEvent[];
  readonly unreadable: readonly PlacedRow[];
  /** Forms of an event left out for a later one: in the same answer, or in that for another box. */
  readonly repeated: number;
};

/**
 * Brings the answers for a window's boxes together. Of an event that is there twice the form that was
 * made last stays, the later one where that is not said. Events are told apart by their public ids, else
 * by their bare ones; those without an id are all kept.
 */
export function stageEvents(answers: readonly CompleteAnswer[]): StagedEvents {
  const events: PlacedEvent[] = [];
  const unreadable = answers.flatMap(({ unreadable, answer }) =>
    unreadable.map((row): PlacedRow => ({ ...row, answer })),
  );
  const places = { public: new Map<string, number>(), bare: new Map<string, number>() };
  let repeated = 0;
  const placed = answers.flatMap(({ events, answer }) =>
    events.map(({ event, line }): PlacedEvent => ({ event, line, answer })),
  );
  for (const one of placed) {
    const { source_id: givenId, extra } = one.event;
    const { sourceId, publicId } = idsOf({ source_id: givenId, extra });
    const id = publicId ?? sourceId;
    const known = publicId === null ? places.bare : places.public;
    const place = id === null ? undefined : known.get(id);
    if (place === undefined) {
      if (id !== null) known.set(id, events.length);
      events.push(one);
    } else {
      repeated += 1;
      if (creationOf(one) >= creationOf(events[place])) events[place] = one;
    }
  }
  return { events, unreadable, repeated };
}

function creationOf(placed: PlacedEvent | undefined): string {
  const extra = placed?.event["extra"] ?? null;
  if (typeof extra !== "object" || extra === null || Array.isArray(extra)) return "";
  const time = extra["creation_time"];
  return typeof time === "string" ? time : "";
}
