import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { LogEvent } from "#contracts/domain-events/log-events.ts";
import type { UserEvent } from "#contracts/domain-events/user-events.ts";

type EventType =
  | CatalogueEvent["type"]
  | UserEvent["type"]
  | LogEvent["type"]
  | "SeismicEventsRecorded";

/** The types of the log's events, for people. */
export const EVENT_NAMES: Readonly<Record<EventType, string>> = {
  CatalogueCreated: "catalogue created",
  CatalogueRenamed: "catalogue renamed",
  VisibilityChanged: "visibility changed",
  MetadataChanged: "metadata changed",
  CatalogueMerged: "catalogue merged",
  CatalogueShared: "catalogue shared",
  ShareEnded: "share ended",
  CatalogueDeleted: "catalogue deleted",
  RevisionOpened: "revision opened",
  SeismicEventsRecorded: "events recorded",
  RevisionCommitted: "revision committed",
  RevisionAbandoned: "revision abandoned",
  ImportStarted: "import started",
  ImportCompleted: "import completed",
  ImportFailed: "import failed",
  UserRegistered: "account registered",
  UserRenamed: "account renamed",
  UserRoleChanged: "role changed",
  UserDeactivated: "account deactivated",
  UserReactivated: "account reactivated",
  UserDeleted: "account deleted",
  PasswordChanged: "password changed",
  PasswordResetRequested: "password reset requested",
  RoleRequestSubmitted: "role requested",
  RoleRequestReviewed: "role request reviewed",
  EmailReserved: "address reserved",
  EmailReleased: "address released",
  LogIdentified: "log identified",
};

/** A type's name; one that this console does not know stands as it is. */
export function eventName(type: string): string {
  return type in EVENT_NAMES ? EVENT_NAMES[type as EventType] : type;
}
