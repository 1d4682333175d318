import type { AgencySettings } from "#contracts/agency.ts";
import { CHUNK_EVENT, FRAME_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import type { RegionSettings } from "#contracts/domain-events/region-events.ts";
import { areaOfGeometry, countVertices } from "#contracts/geometry/shape.ts";
import type { ImportTally } from "#contracts/import-run.ts";
import type { ScheduleSettings } from "#contracts/schedule.ts";
import {
  chunkSummary,
  type DomainEvent,
  frameSummary,
  fromRecorded,
  requireKnown,
} from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";

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

function counted({ totalFetched, newEvents, updatedEvents, skippedEvents }: ImportTally): string {
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
  ImportCompleted: ({ tally }) => `Import completed: ${counted(tally)}`,
  ImportFailed: ({ failure, tally }) => `Import failed (${failure.message}): ${counted(tally)}`,
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
