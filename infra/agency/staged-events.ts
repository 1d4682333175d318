import type { AgencyEvent, AnsweredEvent, PlacedEvent } from "./agency-event.ts";
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
 * made last stays, the later one where that is not said. Two events whose public ids end in the same
 * bare id cannot both be in a catalogue: the second one is an error. Events without an id are all kept.
 */
export function stageEvents(answers: readonly CompleteAnswer[]): StagedEvents {
  const events: PlacedEvent[] = [];
  const unreadable = answers.flatMap(({ unreadable, answer }) =>
    unreadable.map((row): PlacedRow => ({ ...row, answer })),
  );
  const places = new Map<string, number>();
  let repeated = 0;
  const placed = answers.flatMap(({ events, answer }) =>
    events.map(({ event, line }): PlacedEvent => ({ event, line, answer })),
  );
  for (const one of placed) {
    const { event, line, answer } = one;
    const id = event["source_id"];
    if (typeof id !== "string") {
      events.push(one);
      continue;
    }
    const place = places.get(id) ?? events.length;
    const earlier = events[place]?.event;
    if (earlier === undefined) {
      places.set(id, place);
      events.push(one);
    } else if (textOfExtra(event, "public_id") === textOfExtra(earlier, "public_id")) {
      repeated += 1;
      if (textOfExtra(event, CREATED) >= textOfExtra(earlier, CREATED)) events[place] = one;
    } else {
      const message = `${textOfExtra(event, "public_id")} has the id of ${textOfExtra(earlier, "public_id")}`;
      unreadable.push({ message, sourceId: id, line, answer });
    }
  }
  return { events, unreadable, repeated };
}

const CREATED = "creation_time";

function textOfExtra({ extra }: AgencyEvent, name: string): string {
  if (typeof extra !== "object" || extra === null || Array.isArray(extra)) return "";
  const text = extra[name];
  return typeof text === "string" ? text : "";
}
