import { CHUNK_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import type { ImportTally } from "#contracts/import-run.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { type DomainEvent, fromRecorded, requireKnown } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import { chunkSummary } from "#infra/event-log/readable-event.ts";

/** Describes an event in a sentence, even one that this version cannot read. */
export function summarise(recorded: RecordedEvent): string {
  try {
    requireKnown(recorded);
    if (recorded.type === CHUNK_EVENT) return chunkSentence(recorded.data as Uint8Array);
    return sentence(fromRecorded(recorded));
  } catch {
    return "An event that this version of the service cannot read";
  }
}

function chunkSentence(data: Uint8Array): string {
  const { bytes, added, updated, removed } = chunkSummary(data);
  return `Events recorded: ${added} added, ${updated} updated, ${removed} removed, in ${bytes} bytes`;
}

function counted({ totalFetched, newEvents, updatedEvents, skippedEvents }: ImportTally): string {
  return `${totalFetched} fetched, ${newEvents} new, ${updatedEvents} updated, ${skippedEvents} skipped`;
}

/** Personal data stay encrypted as in the log: users are named by id. */
function sentence({ type, data }: DomainEvent): string {
  switch (type) {
    case "CatalogueCreated":
      return `Catalogue "${data.name}" created`;
    case "CatalogueRenamed":
      return `Catalogue renamed to "${data.name}"`;
    case "VisibilityChanged":
      return data.publicFrom === null
        ? "Catalogue made private"
        : `Catalogue made public from version ${data.publicFrom} on`;
    case "MetadataChanged":
      return data.metadata === null ? "Metadata removed" : "Metadata changed";
    case "CatalogueMerged":
      return `Catalogue merged from ${data.sources.length} others`;
    case "RevisionOpened":
      return `Revision ${data.revision} opened (${data.cause})`;
    case "RevisionCommitted":
      return `Revision ${data.revision} committed (${data.cause}): ${data.added} added, ${data.updated} updated, ${data.removed} removed, ${data.eventCount} events`;
    case "RevisionAbandoned":
      return `Revision ${data.revision} abandoned: ${data.reason}`;
    case "ImportStarted":
      return `Import from ${data.agency} started, ${data.window.start} to ${data.window.end}`;
    case "ImportCompleted":
      return `Import completed: ${counted(data.tally)}`;
    case "ImportFailed":
      return `Import failed (${data.failure.message}): ${counted(data.tally)}`;
    case "CatalogueShared": {
      const label = data.label === null ? "" : ` as "${data.label}"`;
      return `Catalogue shared${label}${data.expiresAt === null ? "" : ` until ${data.expiresAt}`}`;
    }
    case "ShareEnded":
      return `Share ${data.shareId} ended`;
    case "CatalogueDeleted":
      return "Catalogue deleted";
    case "UserRegistered":
      return `Account registered as ${data.role}`;
    case "UserRenamed":
      return "Account renamed";
    case "UserRoleChanged":
      return `Role changed to ${data.role}`;
    case "UserDeactivated":
      return "Account deactivated";
    case "UserReactivated":
      return "Account reactivated";
    case "UserDeleted":
      return "Account deleted";
    case "PasswordChanged":
      return `Password ${data.how}`;
    case "PasswordResetRequested":
      return "Password reset requested";
    case "RoleRequestSubmitted":
      return `Role ${data.requestedRole} requested by a ${data.currentRole}`;
    case "RoleRequestReviewed":
      return `Role request ${data.status} by ${data.reviewedBy}`;
    case "EmailReserved":
      return "Email address reserved";
    case "EmailReleased":
      return "Email address released";
    case "LogIdentified":
      return `The log was given the identity ${data.logId}`;
    default:
      return unknownCase(type);
  }
}
