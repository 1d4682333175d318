import type { DecidedEvent } from "#contracts/merge/merge-decision.ts";

/** Numbers of events from 0 on, the same for the same event. */
export function numberedEvents() {
  const numbers = new Map<string, number>();
  const events: DecidedEvent[] = [];
  return {
    numberOf(event: DecidedEvent): number {
      const key = `${event.catalogue_id} ${event.event_id}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, events.length);
      return events.push(event) - 1;
    },
    eventOf(number: number): DecidedEvent {
      const event = events[number];
      if (event === undefined) throw new RangeError(`no event ${number}`);
      return event;
    },
  };
}
