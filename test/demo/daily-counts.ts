import type { AnalyticsMessage } from "#contracts/analytics/messages.ts";

/** How many seismic events there are of every day, over all catalogues, as the feed tells. */
export type DailyCounts = {
  /**
   * Takes one message of the topic; those of a catalogue come in order. One that is not behind the
   * last of its catalogue by position and ordinal is a repetition, and changes nothing.
   */
  take(message: AnalyticsMessage, position: string, ordinal: number): void;
  /** Days (`2016-11-13`, UTC) in order, each with its events. */
  days(): (readonly [day: string, events: number])[];
};

type Catalogue = {
  position: string;
  ordinal: number;
  /** The day of every event, by its id: an update or a removal does not tell the day before. */
  readonly dayOf: Map<string, string>;
};

export function createDailyCounts(): DailyCounts {
  const catalogues = new Map<string, Catalogue>();

  function catalogueOf(id: string): Catalogue {
    const known = catalogues.get(id) ?? { position: "", ordinal: -1, dayOf: new Map() };
    catalogues.set(id, known);
    return known;
  }

  return {
    take(message, position, ordinal) {
      const catalogue = catalogueOf(message.partitionkey);
      const repeated =
        position < catalogue.position ||
        (position === catalogue.position && ordinal <= catalogue.ordinal);
      if (repeated) return;
      catalogue.position = position;
      catalogue.ordinal = ordinal;
      apply(message, catalogue.dayOf);
    },
    days() {
      const counts = new Map<string, number>();
      for (const { dayOf } of catalogues.values()) {
        for (const day of dayOf.values()) counts.set(day, (counts.get(day) ?? 0) + 1);
      }
      return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
    },
  };
}

function apply(message: AnalyticsMessage, dayOf: Map<string, string>): void {
  switch (message.type) {
    case "seismic-event.added.v1":
    case "seismic-event.updated.v1": {
      const { id, time } = message.data.event;
      dayOf.set(id, time.slice(0, "2016-11-13".length));
      return;
    }
    case "seismic-event.removed.v1":
      dayOf.delete(message.data.eventId);
      return;
    case "catalogue.deleted.v1":
      dayOf.clear();
      return;
    default:
      return;
  }
}
