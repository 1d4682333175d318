import { Link } from "wouter-preact";
import type { GroupEvent, UserEvent } from "#contracts/events/accounts.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import type { AgencyEvent } from "#contracts/events/imports.ts";
import type { LogEvent } from "#contracts/events/log.ts";
import type { RegionEvent } from "#contracts/events/regions.ts";
import { call } from "../api/call.ts";
import { useCall } from "../ui/call.tsx";
import { Person } from "../ui/person.tsx";

const CATALOGUE = /^(?:catalogue-)?([0-9a-f]{8}-[0-9a-f-]{27})$/;
const USER = /^user-(.+)$/;

/** The subject of what concerns the log itself. */
const LOG = "event-log";

type SubjectProps = {
  readonly subject: string;
  /** Whether a catalogue is asked for its name; not in long lists. */
  readonly isNamed?: boolean;
};

/** What an event of the log is about, with the way to it. */
export function Subject({ subject, isNamed = false }: SubjectProps) {
  const [, user] = USER.exec(subject) ?? [];
  if (user) return <Person id={user} />;
  const [, catalogue] = CATALOGUE.exec(subject) ?? [];
  if (!catalogue) return <>{subject === LOG ? "the service" : subject}</>;
  return <CatalogueLink id={catalogue} isNamed={isNamed} />;
}

/** @param isNamed whether it is asked for its name */
function CatalogueLink({ id, isNamed }: { readonly id: string; readonly isNamed: boolean }) {
  const { answer } = useCall(`${id} ${isNamed}`, async (signal) =>
    isNamed ? call("GET /api/catalogues/:id", { params: { id } }, { signal }) : null,
  );
  const name = answer?.name ?? null;
  return (
    <Link href={`/catalogues/${id}`} title={id} class={name === null ? "nowrap" : undefined}>
      {name ?? `catalogue ${id.slice(0, 8)}`}
    </Link>
  );
}

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

/** Those that stand for what was done and are called otherwise then. */
const DEEDS: Partial<Record<EventType, string>> = {
  RevisionCommitted: "events or a catalogue changed",
  ImportCompleted: "import",
  VisibilityChanged: "catalogue published or made internal",
  EditingChanged: "who may change a catalogue",
  MemberSet: "member of a catalogue set",
  MemberRemoved: "member of a catalogue removed",
  MetadataChanged: "citation details changed",
};

/** Steps of something else that was done. */
const STEPS: ReadonlySet<string> = new Set<EventType>([
  "CatalogueCreated",
  "CatalogueMerged",
  "MergeRefreshed",
  "MergeDecisionsMade",
  "MergeDecisionsWithdrawn",
  "RevisionOpened",
  "SeismicEventsRecorded",
  "BulletinsRecorded",
  "RevisionAbandoned",
  "ImportStarted",
  "ApprovalRequested",
  "UserInvited",
  "EmailReserved",
  "EmailReleased",
  "LogIdentified",
]);

const FIRST = ["RevisionCommitted", "ImportCompleted", "ImportFailed"] as const;

/** The types that stand for what was done, as its filter names them. */
export const DEED_OPTIONS = [...new Set([...FIRST, ...Object.keys(EVENT_NAMES)])]
  .filter((type) => !STEPS.has(type))
  .map((value) => ({ value, text: DEEDS[value as EventType] ?? eventName(value) }));
