import { Link } from "wouter-preact";
import type { GroupEvent, UserEvent } from "#contracts/events/accounts.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import type { AgencyEvent } from "#contracts/events/imports.ts";
import type { LogEvent } from "#contracts/events/log.ts";
import type { RegionEvent } from "#contracts/events/regions.ts";
import { useAnswer } from "../ui/call.tsx";
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
  const { answer } = useAnswer("GET /api/catalogues/:id", isNamed ? { params: { id } } : null);
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

/** What an event of the log is called, and what was done by it; null where it is a step of something else. */
type Names = readonly [event: string, deed: string | null];

/** The types of the log's events, for people: a name, or two where what was done is called otherwise. */
const EVENTS: Readonly<Record<EventType, string | Names>> = {
  CatalogueCreated: ["catalogue created", null],
  CatalogueRenamed: "catalogue renamed",
  VisibilityChanged: ["visibility changed", "catalogue published or made internal"],
  EditingChanged: ["editors changed", "who may change a catalogue"],
  PartsChanged: ["parts changed", "parts of a catalogue kept or given up"],
  MemberSet: ["member set", "member of a catalogue set"],
  MemberRemoved: ["member removed", "member of a catalogue removed"],
  MetadataChanged: ["metadata changed", "citation details changed"],
  CatalogueMerged: ["catalogue merged", null],
  MergeRefreshed: ["merge refreshed", null],
  MergeDecisionsMade: ["merge decisions made", null],
  MergeDecisionsWithdrawn: ["merge decisions withdrawn", null],
  CatalogueShared: "catalogue shared",
  ShareEnded: "share ended",
  ScheduleMade: "schedule made",
  ScheduleChanged: "schedule changed",
  ScheduleEnded: "schedule ended",
  CatalogueDeleted: "catalogue deleted",
  RevisionOpened: ["version begun", null],
  SeismicEventsRecorded: ["events recorded", null],
  BulletinsRecorded: ["bulletins recorded", null],
  RevisionCommitted: ["version committed", "events or a catalogue changed"],
  RevisionAbandoned: ["version given up", null],
  ImportStarted: ["import started", null],
  ImportCompleted: ["import completed", "import"],
  ImportFailed: "import failed",
  UserRegistered: "account registered",
  ApprovalRequested: ["approval requested", null],
  UserInvited: ["account made by an administrator", null],
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
  AlertMade: "alert made",
  AlertChanged: "alert changed",
  AlertConfirmationRequested: ["alert to be confirmed", null],
  AlertDeleted: "alert deleted",
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
  EmailReserved: ["address reserved", null],
  EmailReleased: ["address released", null],
  LogIdentified: ["log identified", null],
};

function namesOf(type: EventType): Names {
  const names = EVENTS[type];
  return typeof names === "string" ? [names, names] : names;
}

/** A type's name; one that this console does not know stands as it is. */
export function eventName(type: string): string {
  return type in EVENTS ? namesOf(type as EventType)[0] : type;
}

const FIRST = ["RevisionCommitted", "ImportCompleted", "ImportFailed"] as const;

/** The types that stand for what was done, as its filter names them. */
export const DEED_OPTIONS = [
  ...new Set([...FIRST, ...(Object.keys(EVENTS) as EventType[])]),
].flatMap((type) => {
  const [, text] = namesOf(type);
  return text === null ? [] : { value: type as string, text };
});
