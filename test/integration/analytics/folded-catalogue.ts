import { type CommonQueryMethods, sql } from "slonik";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { presentRevision } from "#projections/read/edits.ts";
import { type EventRow, LISTED_COLUMNS, toSeismicEvent } from "#projections/read/versions.ts";
import type { TopicMessage } from "../../support/read-topic.ts";

type ListedEvent = Omit<SeismicEvent, "source_events">;

/** A catalogue as the feed tells it: null when there is none, or none any more. */
export type FoldedCatalogue = {
  name: string;
  isPublic: boolean;
  version: number;
  eventCount: number;
  readonly events: Map<string, ListedEvent>;
} | null;

/** Folds the messages of one catalogue, in order and without repetitions. */
export function foldCatalogue(messages: readonly TopicMessage[]): FoldedCatalogue {
  let folded: FoldedCatalogue = null;
  for (const { message } of messages) {
    if (message.type === "catalogue.created.v1") {
      const { name = "", isPublic = false } = message.data;
      folded = { name, isPublic, version: 0, eventCount: 0, events: new Map() };
    } else if (message.type === "catalogue.deleted.v1") folded = null;
    else if (folded === null) throw new Error(`${message.type} of a catalogue that is not there`);
    else apply(folded, message);
  }
  return folded;
}

function apply(folded: NonNullable<FoldedCatalogue>, message: TopicMessage["message"]): void {
  switch (message.type) {
    case "catalogue.renamed.v1":
      folded.name = message.data.name;
      return;
    case "catalogue.visibility-changed.v1":
      folded.isPublic = message.data.isPublic;
      return;
    case "seismic-event.added.v1":
    case "seismic-event.updated.v1": {
      const { event } = message.data;
      if (folded.events.has(event.id) !== message.type.includes("updated")) {
        throw new Error(`${message.type} of ${event.id}`);
      }
      folded.events.set(event.id, event);
      return;
    }
    case "seismic-event.removed.v1":
      if (!folded.events.delete(message.data.eventId)) throw new Error("removed what is not there");
      return;
    case "catalogue.revision-committed.v1":
      folded.version = message.data.revision;
      folded.eventCount = message.data.eventCount;
      return;
    default:
      return;
  }
}

/** Events of a catalogue's latest version as the read model has them, by id. */
export async function eventsInReadModel(
  pool: CommonQueryMethods,
  catalogueId: string,
): Promise<Map<string, ListedEvent>> {
  const key = (await presentRevision(pool, catalogueId))?.key ?? 0;
  const rows = (await pool.any(sql.unsafe`
    select ${LISTED_COLUMNS} from read_model.seismic_events
    where catalogue_key = ${key} and revision_to is null`)) as readonly EventRow[];
  return new Map(rows.map((row) => [row.event_id, toSeismicEvent(row)]));
}
