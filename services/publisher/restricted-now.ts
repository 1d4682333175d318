import { catalogueStream } from "#contracts/events/log.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import { type EventLog, type RecordedEvent, UnknownEvent } from "#infra/log/event-log.ts";

/** Catalogues of which it is remembered; some 100 bytes each. */
const MAX_KNOWN = 10_000;
const READ_PAGE = 500;

/**
 * Whether a catalogue is there for its members only, by all that the log has of it by now, or was when it was
 * deleted: what is published late tells no more than what its readers are told now.
 */
export function restrictedNow(
  log: Pick<EventLog, "read">,
): (catalogueId: string) => Promise<boolean> {
  const known = createRecent<{ next: number; isRestricted: boolean }>(MAX_KNOWN);

  return async (catalogueId) => {
    const stream = catalogueStream(catalogueId);
    const state = known.get(catalogueId) ?? { next: 0, isRestricted: false };
    for (let isRead = false; !isRead; ) {
      const page = await log.read(stream, state.next, READ_PAGE);
      for (const recorded of page) {
        state.isRestricted = restrictedAfter(state.isRestricted, recorded);
        state.next = recorded.revision + 1;
      }
      isRead = page.length < READ_PAGE;
    }
    known.keep(catalogueId, state);
    return state.isRestricted;
  };
}

/** One that this version of the service cannot read changes nothing: the publisher stops when it comes to it. */
function restrictedAfter(before: boolean, recorded: RecordedEvent): boolean {
  if (recorded.type !== "CatalogueCreated" && recorded.type !== "VisibilityChanged") return before;
  try {
    const event = fromRecorded(recorded);
    const isOfReaders = event.type === "CatalogueCreated" || event.type === "VisibilityChanged";
    return isOfReaders ? (event.data.isRestricted ?? false) : before;
  } catch (error) {
    if (error instanceof UnknownEvent) return before;
    throw error;
  }
}

export function catalogueOf({ data }: RecordedEvent): string {
  return data instanceof Uint8Array ? "" : String(data["catalogueId"]);
}
