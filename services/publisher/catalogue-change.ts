import {
  type CatalogueChange,
  CHANGE_OF,
  type ChangeData,
  type ChangeKind,
  type ChangingEvent,
  changeType,
} from "#contracts/changes/messages.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { cloudEventOf } from "#infra/brokers/relay.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";

/**
 * What subscribers are told of an event that changed a catalogue.
 * @param recorded an event of a type that CHANGE_OF has a kind for
 * @param publicBaseUrl URL of the service
 * @param isRestricted whether the catalogue is there for its members only: the message then has its id, versions
 * and counts alone
 * @throws UnknownEvent at an event of an unknown version
 */
export function catalogueChange(
  recorded: RecordedEvent,
  publicBaseUrl: string,
  isRestricted = false,
): { readonly kind: ChangeKind; readonly change: CatalogueChange } {
  const event = fromRecorded(recorded) as ChangingEvent;
  const kind = CHANGE_OF[event.type];
  const { catalogueId } = event.data;
  const data = isRestricted ? restrictedData(event) : changeData(event);
  const change = {
    ...cloudEventOf(recorded, catalogueId, publicBaseUrl),
    type: changeType(kind),
    subject: catalogueId,
    data,
  };
  // Type and data are of the same event.
  return { kind, change: change as CatalogueChange };
}

function restrictedData(event: ChangingEvent): ChangeData {
  const catalogue_id = event.data.catalogueId;
  switch (event.type) {
    case "CatalogueCreated":
    case "CatalogueRenamed":
    case "CatalogueDeleted":
      return { catalogue_id };
    case "VisibilityChanged":
      return { catalogue_id, is_public: false, public_from: null };
    case "RevisionCommitted": {
      const { revision, added, updated, removed, eventCount } = event.data;
      const counts = { added, updated, removed, event_count: eventCount };
      return { catalogue_id, version: revision, ...counts };
    }
    default:
      return unknownCase(event);
  }
}

function changeData(event: ChangingEvent): ChangeData {
  const catalogue_id = event.data.catalogueId;
  switch (event.type) {
    case "CatalogueCreated":
      return { catalogue_id, name: event.data.name, is_public: event.data.isPublic };
    case "CatalogueRenamed":
      return { catalogue_id, name: event.data.name };
    case "VisibilityChanged": {
      const { isPublic, publicFrom } = event.data;
      return { catalogue_id, is_public: isPublic, public_from: publicFrom };
    }
    case "RevisionCommitted": {
      const { revision, cause, added, updated, removed, eventCount, bounds, contentHash } =
        event.data;
      return {
        catalogue_id,
        version: revision,
        cause,
        added,
        updated,
        removed,
        event_count: eventCount,
        bounds,
        content_hash: contentHash,
      };
    }
    case "CatalogueDeleted":
      return { catalogue_id };
    default:
      return unknownCase(event);
  }
}
