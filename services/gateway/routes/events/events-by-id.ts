import { Refusal } from "#contracts/errors.ts";
import { EVENTS_OF_ID } from "#contracts/http/events/events-by-id.ts";
import { readEventsOfId } from "#projections/queries/ids/events-by-id.ts";
import type { MakeHandler } from "../make-handler.ts";

export const getEventsByIdHandler: MakeHandler<"getEventsById", "reads"> =
  ({ reads }) =>
  async ({ params: { id }, reader }) => {
    const { events, truncated } = await readEventsOfId(reads.prepared, reader, id, EVENTS_OF_ID);
    if (events.length === 0) {
      throw new Refusal("NOT_FOUND", "No event that you may read has or had this id");
    }
    return {
      body: {
        events: events.map(({ catalogueId, eventId, ...event }) => ({
          catalogue_id: catalogueId,
          event_id: eventId,
          ...event,
        })),
        truncated,
      },
    };
  };
