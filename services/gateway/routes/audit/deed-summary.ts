import type { CatalogueEventData } from "#contracts/domain-events/catalogue-events.ts";
import type { DomainEvent } from "#infra/log/domain-events.ts";
import type { VersionEntry } from "#services/domain/versions.ts";

/**
 * What a deed was, in a few words, where the log's own sentence tells of revisions; null where that does
 * well. People are named by the entry, not in here.
 * @param version what the catalogue's history has of the version that it made
 */
export function deedSummary(event: DomainEvent, version: VersionEntry | null): string | null {
  switch (event.type) {
    case "RevisionCommitted":
      return committed(event.data, version);
    case "ImportCompleted": {
      const { newEvents, updatedEvents, skippedEvents } = event.data.tally;
      const counts = [
        [newEvents, "new"],
        [updatedEvents, "updated"],
        [skippedEvents, "skipped"],
      ].map(([number, word]) => `${number?.toLocaleString("en")} ${word}`);
      const agency = version?.importRun?.agency;
      return `Imported${agency === undefined ? "" : ` from ${agency}`}: ${counts.join(", ")}`;
    }
    case "ImportFailed": {
      const { newEvents } = event.data.tally;
      const until = newEvents === 0 ? "" : ` after ${counted(newEvents, "event")}`;
      return `Import failed${until}: ${event.data.failure.message}`;
    }
    case "RevisionAbandoned":
      return `Change given up, which left everything as it was: ${WHY[event.data.reason] ?? "it failed on the way"}`;
    case "MetadataChanged":
      return event.data.metadata === null ? "Citation details removed" : "Citation details changed";
    case "LogIdentified":
      return "The log of all changes was set up";
    case "RoleRequestReviewed":
      return `Role request ${event.data.status}`;
    default:
      return null;
  }
}

/** Why a revision was given up, in place of the log's words about processes. */
const WHY: Readonly<Record<string, string>> = {
  "its worker is gone": "the service was stopped while it ran",
  "its run was cut off": "it was cut off, and begun again",
};

type Committed = CatalogueEventData<"RevisionCommitted">;

function committed(data: Committed, version: VersionEntry | null): string {
  const events = counted(data.eventCount, "event");
  switch (data.cause) {
    case "created":
      return `Catalogue created with ${events}`;
    case "merge":
      return `Merged from ${counted(version?.sources?.length ?? 0, "catalogue")}: ${events}`;
    case "restore":
      return `Catalogue restored as it was in version ${version?.restores}: ${changes(data)}`;
    case "edit":
    case "import":
      return version?.restores
        ? `Event restored as it was in version ${version.restores}`
        : capital(changes(data));
  }
}

function changes({ added, updated, removed }: Committed): string {
  const parts = [
    [added, "added"],
    [updated, "changed"],
    [removed, "removed"],
  ] as const;
  const told = parts.filter(([number]) => number > 0);
  const [first] = told;
  if (first === undefined) return "nothing changed";
  if (added + updated + removed === 1) return `event ${first[1]}`;
  if (told.length === 1) return `${counted(first[0], "event")} ${first[1]}`;
  return `events: ${told.map(([number, word]) => `${number} ${word}`).join(", ")}`;
}

const counted = (number: number, noun: string): string =>
  `${number.toLocaleString("en")} ${number === 1 ? noun : `${noun}s`}`;

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
