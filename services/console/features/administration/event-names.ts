import type { GroupEvent, UserEvent } from "#contracts/events/accounts.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import type { AgencyEvent } from "#contracts/events/imports.ts";
import type { LogEvent } from "#contracts/events/log.ts";
import type { RegionEvent } from "#contracts/events/regions.ts";

type EventType =
  | CatalogueEvent["type"]
  | UserEvent["type"]
  | GroupEvent["type"]
  | AgencyEvent["type"]
  | RegionEvent["type"]
  | LogEvent["type"]
  | "SeismicEventsRecorded"
  | "BulletinsRecorded";

/** The types of the log's events, for people. */
const EVENT_NAMES: Readonly<Record<EventType, string>> = {
  CatalogueCreated: "catalogue created",
  CatalogueRenamed: "catalogue renamed",
  VisibilityChanged: "visibility changed",
  EditingChanged: "editors changed",
  MemberSet: "member set",
  MemberRemoved: "member removed",
  MetadataChanged: "metadata changed",
  CatalogueMerged: "catalogue merged",
  MergeRefreshed: "merge refreshed",
  MergeDecisionsMade: "merge decisions made",
  MergeDecisionsWithdrawn: "merge decisions withdrawn",
  CatalogueShared: "catalogue shared",
  ShareEnded: "share ended",
  ScheduleMade: "schedule made",
  ScheduleChanged: "schedule changed",
  ScheduleEnded: "schedule ended",
  CatalogueDeleted: "catalogue deleted",
  RevisionOpened: "version begun",
  SeismicEventsRecorded: "events recorded",
  BulletinsRecorded: "bulletins recorded",
  RevisionCommitted: "version committed",
  RevisionAbandoned: "version given up",
  ImportStarted: "import started",
  ImportCompleted: "import completed",
  ImportFailed: "import failed",
  UserRegistered: "account registered",
  ApprovalRequested: "approval requested",
  UserInvited: "account made by an administrator",
  UserRenamed: "account renamed",
  UserRoleChanged: "role changed",
  IdentityTied: "account tied to an institute's account",
  UserDeactivated: "account deactivated",
  UserReactivated: "account reactivated",
  UserDeleted: "account deleted",
  PasswordChanged: "password changed",
  PasswordResetRequested: "password reset requested",
  RoleRequestSubmitted: "role requested",
  RoleRequestReviewed: "role request reviewed",
  AccessTokenCreated: "access token made",
  AccessTokenEnded: "access token ended",
  GroupCreated: "group created",
  GroupRenamed: "group renamed",
  GroupMembersChanged: "group's members changed",
  GroupDeleted: "group deleted",
  AgencyAdded: "agency added",
  AgencyChanged: "agency changed",
  AgencyRemoved: "agency removed",
  RegionCreated: "region created",
  RegionChanged: "region changed",
  RegionDeleted: "region deleted",
  EmailReserved: "address reserved",
  EmailReleased: "address released",
  LogIdentified: "log identified",
};

/** A type's name; one that this console does not know stands as it is. */
export function eventName(type: string): string {
  return type in EVENT_NAMES ? EVENT_NAMES[type as EventType] : type;
}

/** The types that stand for what was done, as its filter names them. */
export const DEED_NAMES = {
  RevisionCommitted: "events or a catalogue changed",
  ImportCompleted: "import",
  ImportFailed: "import failed",
  CatalogueRenamed: "catalogue renamed",
  VisibilityChanged: "catalogue published or made internal",
  EditingChanged: "who may change a catalogue",
  MemberSet: "member of a catalogue set",
  MemberRemoved: "member of a catalogue removed",
  MetadataChanged: "citation details changed",
  CatalogueShared: "catalogue shared",
  ShareEnded: "share ended",
  ScheduleMade: "schedule made",
  ScheduleChanged: "schedule changed",
  ScheduleEnded: "schedule ended",
  CatalogueDeleted: "catalogue deleted",
  UserRegistered: "account registered",
  UserRenamed: "account renamed",
  UserRoleChanged: "role changed",
  IdentityTied: "account tied to an institute's account",
  UserDeactivated: "account deactivated",
  UserReactivated: "account reactivated",
  UserDeleted: "account deleted",
  PasswordChanged: "password changed",
  PasswordResetRequested: "password reset requested",
  RoleRequestSubmitted: "role requested",
  RoleRequestReviewed: "role request reviewed",
  AccessTokenCreated: "access token made",
  AccessTokenEnded: "access token ended",
  GroupCreated: "group created",
  GroupRenamed: "group renamed",
  GroupMembersChanged: "group's members changed",
  GroupDeleted: "group deleted",
  AgencyAdded: "agency added",
  AgencyChanged: "agency changed",
  AgencyRemoved: "agency removed",
  RegionCreated: "region created",
  RegionChanged: "region changed",
  RegionDeleted: "region deleted",
} as const satisfies Partial<Record<EventType, string>>;
