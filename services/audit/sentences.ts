import type { MadeAlert } from "#contracts/events/alerts.ts";
import { type CatalogueEventData, CHUNK_EVENT, FRAME_EVENT } from "#contracts/events/catalogues.ts";
import type { AgencySettings, ImportTally, ScheduleSettings } from "#contracts/events/imports.ts";
import type { RegionSettings } from "#contracts/events/regions.ts";
import { areaOfGeometry, countVertices } from "#contracts/geometry/shape.ts";
import {
  chunkSummary,
  type DomainEvent,
  frameSummary,
  fromRecorded,
  requireKnown,
} from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import { IMPORT_FAILED } from "#services/domain/catalogues/catalogue.ts";
import type { VersionEntry } from "#services/domain/versions.ts";

/** Describes an event in a sentence, even one that this version cannot read. */
export function summarise(recorded: RecordedEvent): string {
  try {
    requireKnown(recorded);
    if (recorded.type === CHUNK_EVENT) return chunkSentence(recorded.data as Uint8Array);
    if (recorded.type === FRAME_EVENT) return frameSentence(recorded.data as Uint8Array);
    return sentence(fromRecorded(recorded));
  } catch {
    return "An event that this version of the service cannot read";
  }
}

function chunkSentence(data: Uint8Array): string {
  const { bytes, added, updated, removed } = chunkSummary(data);
  return `Events recorded: ${added} added, ${updated} updated, ${removed} removed, in ${bytes} bytes`;
}

function frameSentence(data: Uint8Array): string {
  const { bytes, bulletins } = frameSummary(data);
  return `Bulletins recorded: all or parts of ${bulletins}, in ${bytes} bytes`;
}

function tallyText({ totalFetched, newEvents, updatedEvents, skippedEvents }: ImportTally): string {
  return `${totalFetched} fetched, ${newEvents} new, ${updatedEvents} updated, ${skippedEvents} skipped`;
}

function turnedOff({ enabled }: AgencySettings): string {
  return enabled ? "" : ", turned off";
}

/** What a schedule does, without its filters. */
function inWords(settings: ScheduleSettings): string {
  const { agency, everyMinutes, lookbackHours, withdrawn, paused, pausedBecause } = settings;
  const asks = `${agency} every ${everyMinutes} min for the last ${lookbackHours} h, withdrawn events: ${withdrawn}`;
  if (!paused) return asks;
  return `${asks}, paused${pausedBecause === null ? "" : ` (${pausedBecause})`}`;
}

/** A region as it is now. */
function drawn({ name, geometry, note }: RegionSettings): string {
  const vertices = countVertices(areaOfGeometry(geometry));
  return `"${name}", ${vertices} vertices${note === null ? "" : `: ${note}`}`;
}

/** What an alert tells, without its filters. */
function told({ settings, isConfirmed, pausedBecause }: MadeAlert): string {
  const { on, to, catalogues, active } = settings;
  const why = pausedBecause === null ? "" : ` (${pausedBecause})`;
  const standing = active ? (isConfirmed ? ", confirmed" : "") : `, paused${why}`;
  return `${on.join(", ")} in ${counted(catalogues.length, "catalogue")} by ${to}${standing}`;
}

type Sentences = {
  readonly [T in DomainEvent["type"]]: (data: Extract<DomainEvent, { type: T }>["data"]) => string;
};

const roleName = (role: string): string => (role === "admin" ? "administrator" : role);

/** Personal data stay encrypted as in the log: users are named by id. */
const SENTENCES: Sentences = {
  CatalogueCreated: ({ name }) => `Catalogue "${name}" created`,
  CatalogueRenamed: ({ name }) => `Catalogue renamed to "${name}"`,
  VisibilityChanged: ({ publicFrom, isRestricted }) => {
    if (isRestricted) return "Catalogue restricted to its members";
    return publicFrom === null
      ? "Catalogue made internal"
      : `Catalogue made public from version ${publicFrom} on`;
  },
  EditingChanged: ({ editing }) =>
    editing === "all" ? "Changes opened to all editors" : "Changes kept to members",
  PartsChanged: ({ parts }) => (parts ? "Parts for engines kept up" : "Parts for engines given up"),
  MemberSet: ({ kind, memberId, right }) => `Right to ${right} given to ${kind} ${memberId}`,
  MemberRemoved: ({ memberId }) => `Member ${memberId} removed`,
  MetadataChanged: ({ metadata }) => (metadata === null ? "Metadata removed" : "Metadata changed"),
  CatalogueMerged: ({ sources }) => `Catalogue merged from ${sources.length} others`,
  MergeRefreshed: ({ revision, sources }) =>
    `Merge refreshed from ${sources.length} others, as of version ${revision}`,
  MergeDecisionsMade: ({ decisions }) => {
    const same = decisions.filter(({ type }) => type === "same").length;
    return `Decisions of the merge made: ${same} that events are the same, ${decisions.length - same} that they are different`;
  },
  MergeDecisionsWithdrawn: ({ ids }) => `Decisions of the merge withdrawn: ${ids.length}`,
  RevisionOpened: ({ revision, cause, restores, reason }) =>
    `Version ${revision} begun (${cause}${restores === undefined ? "" : ` as of ${restores}`})${reason === undefined ? "" : `: ${reason}`}`,
  RevisionCommitted: ({ revision, cause, added, updated, removed, eventCount }) =>
    `Version ${revision} committed (${cause}): ${added} added, ${updated} updated, ${removed} removed, ${eventCount} events`,
  RevisionAbandoned: ({ revision, reason }) => `Version ${revision} given up: ${reason}`,
  ImportStarted: ({ agency, window }) =>
    `Import from ${agency} started, ${window.start} to ${window.end}`,
  ImportCompleted: ({ tally }) => `Import completed: ${tallyText(tally)}`,
  ImportFailed: ({ failure, tally }) => `Import failed (${failure.message}): ${tallyText(tally)}`,
  CatalogueShared: ({ label, expiresAt }) =>
    `Catalogue shared${label === null ? "" : ` as "${label}"`}${expiresAt === null ? "" : ` until ${expiresAt.slice(0, 10)}`}`,
  ShareEnded: ({ shareId }) => `Share ${shareId} ended`,
  ScheduleMade: ({ settings }) => `Scheduled: ${inWords(settings)}`,
  ScheduleChanged: ({ scheduleId, settings }) =>
    `Schedule ${scheduleId} changed: ${inWords(settings)}`,
  ScheduleEnded: ({ scheduleId }) => `Schedule ${scheduleId} ended`,
  CatalogueDeleted: () => "Catalogue deleted",
  UserRegistered: ({ role }) => `Account registered as ${roleName(role)}`,
  ApprovalRequested: () => "Account registered, to be activated by an administrator",
  UserInvited: () => "Account made by an administrator; a link for its first password goes by mail",
  UserRenamed: () => "Account renamed",
  UserRoleChanged: ({ role, because }) =>
    `Role changed to ${roleName(role)}${because === "groups" ? ", as the groups at the institute say" : ""}`,
  IdentityTied: ({ issuer }) => `Account tied to an account of ${issuer}`,
  UserDeactivated: () => "Account deactivated",
  UserReactivated: () => "Account reactivated",
  UserDeleted: () => "Account deleted",
  PasswordChanged: ({ how }) => `Password ${how}`,
  PasswordResetRequested: () => "Password reset requested",
  RoleRequestSubmitted: ({ requestedRole, currentRole }) =>
    `Role ${requestedRole} requested by a ${currentRole}`,
  RoleRequestReviewed: ({ status, reviewedBy }) => `Role request ${status} by ${reviewedBy}`,
  AccessTokenCreated: ({ scopes, catalogues, expiresAt }) =>
    `Access token made until ${expiresAt.slice(0, 10)} (${scopes.join(", ")}${catalogues === null ? "" : `; only ${catalogues.length} of the catalogues`})`,
  AccessTokenEnded: ({ tokenId }) => `Access token ${tokenId} ended`,
  AlertMade: ({ alertId, ...alert }) => `Alert ${alertId} made: ${told(alert)}`,
  AlertChanged: ({ alertId, ...alert }) => `Alert ${alertId} changed: ${told(alert)}`,
  AlertConfirmationRequested: ({ alertId }) =>
    `A link goes by mail to the account's address, to confirm alert ${alertId}`,
  AlertDeleted: ({ alertId }) => `Alert ${alertId} deleted`,
  EmailReserved: () => "Email address reserved",
  EmailReleased: () => "Email address released",
  GroupCreated: ({ name, members }) => `Group "${name}" created with ${members.length} members`,
  GroupRenamed: ({ name }) => `Group renamed to "${name}"`,
  GroupMembersChanged: ({ members }) => `Members of the group changed: ${members.length}`,
  GroupDeleted: () => "Group deleted",
  AgencyAdded: ({ agencyId, settings }) =>
    `Agency ${agencyId} (${settings.name}) added: ${settings.url}${turnedOff(settings)}`,
  AgencyChanged: ({ agencyId, settings }) =>
    `Agency ${agencyId} (${settings.name}) changed: ${settings.url}${turnedOff(settings)}`,
  AgencyRemoved: ({ agencyId }) => `Agency ${agencyId} removed`,
  RegionCreated: ({ settings }) => `Region created: ${drawn(settings)}`,
  RegionChanged: ({ settings }) => `Region changed: ${drawn(settings)}`,
  RegionDeleted: ({ regionId }) => `Region ${regionId} deleted`,
  LogIdentified: ({ logId }) => `The log was given the identity ${logId}`,
};

function sentence({ type, data }: DomainEvent): string {
  return SENTENCES[type](data as never);
}

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

/** Steps of what another event tells: the revision's commit, the import's end, the account's registration. */
const STEPS: ReadonlySet<string> = new Set([
  "CatalogueCreated",
  "CatalogueMerged",
  "RevisionOpened",
  "ImportStarted",
  "ApprovalRequested",
  "UserInvited",
  "AlertConfirmationRequested",
  "EmailReserved",
  "EmailReleased",
  CHUNK_EVENT,
  FRAME_EVENT,
] satisfies (DomainEvent["type"] | typeof CHUNK_EVENT | typeof FRAME_EVENT)[]);

/** Whether events of a type may stand for what was done. */
export const mayBeDeed = (type: string): boolean => !STEPS.has(type);

/** An import's commit, and that it was given up, is told by the import's end. */
export function isDeed({ type, data }: RecordedEvent): boolean {
  if (!mayBeDeed(type)) return false;
  const { cause, reason } = data as { readonly cause?: unknown; readonly reason?: unknown };
  if (type === "RevisionAbandoned") return reason !== IMPORT_FAILED;
  return type !== "RevisionCommitted" || cause !== "import";
}
