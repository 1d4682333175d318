import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/** A change of an event's row, and what the solutions that it makes are signed with. */
export type RowEdit = {
  readonly eventId: string;
  readonly before: SeismicEventRecord;
  readonly after: SeismicEventRecord;
  /** The version of the catalogue that the edit makes. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Whether the event's source says so: what is made of it gives way to the source's next bulletin. */
  readonly isOfSource?: boolean;
};
