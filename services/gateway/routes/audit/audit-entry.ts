import type { AuditEntry, AuditQuery } from "#contracts/http/audit.ts";
import { catalogueStream, userStream } from "#contracts/names.ts";
import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import type { EventHead, Position, RecordedEvent } from "#infra/log/event-log.ts";
import { isDeed, mayBeDeed } from "./is-deed.ts";
import { summarise } from "./summarise.ts";

/** Events of the log that are wanted, and where the next page goes on. */
export type AuditPage = { readonly events: RecordedEvent[]; readonly next: Position | null };

export function entryOf(event: RecordedEvent): AuditEntry {
  return {
    position: event.position,
    time: event.recordedAt,
    actor: event.metadata.actor,
    command: event.metadata.commandId,
    type: event.type,
    subject: subjectOf(event),
    summary: summarise(event),
  };
}

/** What is asked of the audit, and the only catalogues of which the caller may be told; null for all. */
export type AuditRequest = AuditQuery & { readonly only: readonly string[] | null };

export function isWanted(event: RecordedEvent, query: AuditRequest): boolean {
  if (query.deeds === "true" && !isDeed(event)) return false;
  const isAbout = (subject: string) => subject === subjectOf(event);
  return mayBeWanted(event, query) && wantedSubjects(query).every(isAbout);
}

/** False where an event is not wanted, whatever its data. */
export function mayBeWanted(event: EventHead, query: AuditRequest): boolean {
  const { after, before, actor, type, from, to, only } = query;
  const id = catalogueOf(event);
  const catalogue = catalogueSubject(event);
  const mayBeAbout = (subject: string) =>
    catalogue === undefined ? !CATALOGUE.test(subject) : subject === catalogue;
  return (
    (only === null || id === null || only.includes(id)) &&
    (query.deeds !== "true" || mayBeDeed(event.type)) &&
    (after === undefined || event.position > after) &&
    (before === undefined || event.position < before) &&
    (actor === undefined || event.metadata.actor === actor) &&
    (type === undefined || event.type === type) &&
    (from === undefined || compareTimes(event.recordedAt, from) >= 0) &&
    (to === undefined || compareTimes(event.recordedAt, to) <= 0) &&
    wantedSubjects(query).every(mayBeAbout)
  );
}

function wantedSubjects({ catalogueId, subject }: AuditQuery): string[] {
  return [
    ...(catalogueId === undefined ? [] : [catalogueStream(catalogueId)]),
    ...(subject === undefined ? [] : [subject]),
  ];
}

const CATALOGUE = /^catalogue-([0-9a-f-]{36})/;

/** Streams of revisions belong to their catalogue. */
function catalogueSubject({ stream }: EventHead): string | undefined {
  return CATALOGUE.exec(stream)?.[0];
}

/** The id of the catalogue that an event is about; null where it is about something else. */
export function catalogueOf({ stream }: EventHead): string | null {
  return CATALOGUE.exec(stream)?.[1] ?? null;
}

/** Streams of addresses belong to the account that has the address. */
function subjectOf(event: RecordedEvent): string {
  const catalogue = catalogueSubject(event);
  if (catalogue !== undefined) return catalogue;
  const userId = event.data instanceof Uint8Array ? undefined : event.data["userId"];
  return typeof userId === "string" ? userStream(userId) : event.stream;
}
