import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import { catalogueStream, userStream } from "#contracts/events/log.ts";
import {
  AUDIT_LIMIT,
  type AuditEntry,
  type AuditQuery,
  type DeedEvent,
  MOST_DEED_EVENTS,
} from "#contracts/http/audit.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes } from "#contracts/seismic-event/time.ts";
import { type DomainEvent, fromRecorded, requireKnown } from "#infra/log/domain-events.ts";
import {
  type EventHead,
  type EventLog,
  eventsUpTo,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/log/event-log.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { listParked, retryParked, StillParked } from "#projections/engine/run.ts";
import { type SmallRevision, smallChanges } from "#projections/read/differences.ts";
import { type VersionEntry, type VersionHistory, versionOf } from "#services/domain/versions.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { deedSummary, isDeed, mayBeDeed, summarise } from "./sentences.ts";

export function handlersOfAudit(deps: HandlerDeps) {
  const { log, retryPool } = deps;
  return {
    listAudit: async ({ query: asked, actor }) => {
      const query = { ...asked, only: actor.token?.catalogues ?? null };
      const head = await log.head();
      await requirePlaces(log, head, query);
      const areDeeds = query.deeds === "true";
      const wanted = query.limit ?? AUDIT_LIMIT.default;
      const limit = areDeeds ? Math.min(wanted, MOST_DEEDS) : wanted;
      const { events, next } = await (query.order === "desc"
        ? newestFirst(log, query, limit)
        : oldestFirst(log, query, limit, head));
      const entries = areDeeds ? await entriesOfDeeds(deps, events) : await entriesOf(events);
      return { body: { entries, next } };
    },

    listParkedEvents: async () => ({ body: { parked: await listParked(retryPool) } }),

    retryParkedEvents: async ({ params }) => {
      const parked = (await listParked(retryPool)).find(({ id }) => id === params.id);
      if (!parked) throw new Refusal("NOT_FOUND", "Nothing is parked under this id");
      const applied = await retryParked(retryPool, log, ALL_PROJECTIONS, parked).catch(refuse);
      return { body: { applied } };
    },
  } satisfies Partial<Handlers>;
}

/** Most events read per request; a page that ends here is short, and the next one continues. */
const MAX_EVENTS = 10_000;
const MAX_CHUNK_BYTES = 32 * 1024 * 1024;

/** A page of the log up to its head, oldest first. */
async function oldestFirst(
  log: Pick<EventLog, "subscribe">,
  query: AuditRequest,
  limit: number,
  head: Position,
): Promise<AuditPage> {
  const { before } = query;
  const after = (query.after ?? START) as Position;
  const wanted: RecordedEvent[] = [];
  const { signal: unlimited } = new AbortController();
  const budget = { events: MAX_EVENTS, bytes: MAX_CHUNK_BYTES };
  let reached = after;
  for await (const { events } of eventsUpTo(log, after, head, unlimited)) {
    for (const event of events) {
      if (before !== undefined && event.position >= before) return { events: wanted, next: null };
      reached = event.position;
      spend(budget, event);
      if (isWanted(event, query)) wanted.push(event);
      const full = wanted.length === limit || budget.events <= 0 || budget.bytes <= 0;
      if (full) return { events: wanted, next: reached < head ? reached : null };
    }
  }
  return { events: wanted, next: null };
}

function spend(budget: { events: number; bytes: number }, { data }: RecordedEvent): void {
  budget.events -= 1;
  if (data instanceof Uint8Array) budget.bytes -= data.byteLength;
}

/** Most that is read per request; a page that ends here is short, and the next one continues. */
const MAX_BATCHES = 50;
const MAX_BYTES = 32 * 1024 * 1024;

/** A page of the log, newest first; its `next` is the next one's `before`. */
async function newestFirst(
  log: Pick<EventLog, "readBackwards">,
  query: AuditRequest,
  limit: number,
): Promise<AuditPage> {
  const { after } = query;
  const events: RecordedEvent[] = [];
  let before = (query.before ?? null) as Position | null;
  let bytes = 0;
  for (let batches = 0; batches < MAX_BATCHES && bytes < MAX_BYTES; batches += 1) {
    const batch = await log.readBackwards({
      before,
      limit: limit - events.length,
      wanted: (event) => mayBeWanted(event, query),
    });
    events.push(...batch.events.filter((event) => isWanted(event, query)));
    before = batch.position;
    bytes += batch.bytes;
    if (before === null || (after !== undefined && before <= after)) return { events, next: null };
    if (events.length === limit) break;
  }
  return { events, next: before };
}

/** Each is told with its catalogue's history. */
const MOST_DEEDS = 100;

async function entriesOf(events: readonly RecordedEvent[]): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const event of events) {
    entries.push(entryOf(event));
    // Summarising a chunk takes some milliseconds.
    if (event.data instanceof Uint8Array) await setImmediate();
  }
  return entries;
}

/** @throws Refusal INVALID_CURSOR */
async function requirePlaces(
  log: Pick<EventLog, "eventAt">,
  head: Position,
  { after, before }: AuditQuery,
): Promise<void> {
  const isPlace =
    (after === undefined || (isPosition(head, after) && after <= head)) &&
    // An event store reads backwards only from where an event is.
    (before === undefined ||
      (isPosition(head, before) && (await log.eventAt(before as Position)) !== null));
  if (!isPlace) throw new Refusal("INVALID_CURSOR");
}

/** Positions consist of numbers in 16 hexadecimal digits, which every log stores in signed 64 bits. */
const NUMBERS = /^(?:[0-7][0-9a-f]{15})+$/;

/** Positions compare as text: all positions of a log have the same length. */
function isPosition(head: Position, position: string): boolean {
  return position.length === head.length && NUMBERS.test(position);
}

function refuse(error: unknown): never {
  if (!(error instanceof StillParked)) throw error;
  throw new Refusal("CONFLICT", error.message, { cause: error });
}

const CATALOGUE = /^catalogue-([0-9a-f-]{36})/;

const revisionKey = ({ catalogueId, version }: SmallRevision): string =>
  `${catalogueId} ${version}`;

const SCALARS = ["time", ...ATTRIBUTE_NAMES] as const;

/** Events of the log that are wanted, and where the next page goes on. */
type AuditPage = { readonly events: RecordedEvent[]; readonly next: Position | null };

function entryOf(event: RecordedEvent): AuditEntry {
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
type AuditRequest = AuditQuery & { readonly only: readonly string[] | null };

function isWanted(event: RecordedEvent, query: AuditRequest): boolean {
  if (query.deeds === "true" && !isDeed(event)) return false;
  const isAbout = (subject: string) => subject === subjectOf(event);
  return mayBeWanted(event, query) && wantedSubjects(query).every(isAbout);
}

/** False where an event is not wanted, whatever its data. */
function mayBeWanted(event: EventHead, query: AuditRequest): boolean {
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

/** Streams of revisions belong to their catalogue. */
function catalogueSubject({ stream }: EventHead): string | undefined {
  return CATALOGUE.exec(stream)?.[0];
}

/** The id of the catalogue that an event is about; null where it is about something else. */
function catalogueOf({ stream }: EventHead): string | null {
  return CATALOGUE.exec(stream)?.[1] ?? null;
}

/** Streams of addresses belong to the account that has the address. */
function subjectOf(event: RecordedEvent): string {
  const catalogue = catalogueSubject(event);
  if (catalogue !== undefined) return catalogue;
  const userId = event.data instanceof Uint8Array ? undefined : event.data["userId"];
  return typeof userId === "string" ? userStream(userId) : event.stream;
}

/** Entries for what was done: the catalogues by name, and what small changes made of each event. */
async function entriesOfDeeds(
  { pool, versionHistories }: HandlerDeps,
  recorded: readonly RecordedEvent[],
): Promise<AuditEntry[]> {
  const histories = new Map<string, VersionHistory | null>();
  for (const event of recorded) {
    const id = catalogueOf(event);
    if (id !== null && !histories.has(id)) histories.set(id, await versionHistories.read(id));
  }
  const told = recorded.map((one) => toldOf(one, histories));
  const events = await deedEvents(pool, told.flatMap(smallRevisionOf));
  return told.map((one) => deedEntry(one, events));
}

type Told = ReturnType<typeof toldOf>;

function toldOf(recorded: RecordedEvent, histories: ReadonlyMap<string, VersionHistory | null>) {
  const catalogueId = catalogueOf(recorded);
  const history = (catalogueId !== null && histories.get(catalogueId)) || null;
  /** Null of what this version of the service cannot read. */
  const event = readable(recorded);
  return { recorded, event, catalogueId, history, version: versionMade(event, history) };
}

function readable(recorded: RecordedEvent): DomainEvent | null {
  try {
    requireKnown(recorded);
    return fromRecorded(recorded);
  } catch {
    return null;
  }
}

function versionMade(
  event: DomainEvent | null,
  history: VersionHistory | null,
): VersionEntry | null {
  if (event === null || history === null) return null;
  if (event.type === "RevisionCommitted") return versionOf(history, event.data.revision) ?? null;
  if (event.type !== "ImportCompleted") return null;
  const { importId } = event.data;
  return history.versions.find(({ importRun }) => importRun?.importId === importId) ?? null;
}

function smallRevisionOf({ catalogueId, history, version }: Told): SmallRevision[] {
  if (catalogueId === null || version === null || history?.isDeleted) return [];
  const { added, updated, removed } = version;
  if (added + updated + removed > MOST_DEED_EVENTS) return [];
  return [{ catalogueId, version: version.version }];
}

function deedEntry(
  { recorded, event, catalogueId, history, version }: Told,
  events: DeedEvents,
): AuditEntry {
  const entry = entryOf(recorded);
  const made = version?.version ?? null;
  const key = catalogueId !== null && made !== null && revisionKey({ catalogueId, version: made });
  return {
    ...entry,
    deed: {
      summary: (event && deedSummary(event, version)) ?? entry.summary,
      catalogue:
        catalogueId === null || history === null
          ? null
          : { id: catalogueId, name: history.name, is_deleted: history.isDeleted },
      version: made,
      reason: version?.reason ?? null,
      restores: version?.restores ?? null,
      events: [...((key && events.get(key)) || [])],
    },
  };
}

/** What small revisions made of each event, by their key. */
type DeedEvents = ReadonlyMap<string, readonly DeedEvent[]>;

/** Of all revisions of an answer, by one query. */
async function deedEvents(
  pool: Pick<CommonQueryMethods, "any">,
  revisions: readonly SmallRevision[],
): Promise<DeedEvents> {
  const events = new Map<string, DeedEvent[]>();
  for (const { before, after, ...revision } of await smallChanges(pool, revisions)) {
    const event = deedEvent(before, after);
    const key = revisionKey(revision);
    if (event !== null) events.set(key, [...(events.get(key) ?? []), event]);
  }
  return events;
}

function deedEvent(before: SeismicEvent | null, after: SeismicEvent | null): DeedEvent | null {
  const shown = after ?? before;
  if (shown === null) return null;
  const { id, time, latitude, longitude, magnitude, magnitude_type, region } = shown;
  return {
    change: before === null ? "added" : after === null ? "removed" : "updated",
    event: { id, time, latitude, longitude, magnitude, magnitude_type, region },
    changed: before === null || after === null ? [] : changedAttributes(before, after),
  };
}

function changedAttributes(before: SeismicEvent, after: SeismicEvent): DeedEvent["changed"] {
  const scalars = SCALARS.filter((name) => before[name] !== after[name]);
  const structures = STRUCTURED_NAMES.filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  return [
    ...scalars.map((name) => ({ name, from: before[name], to: after[name] })),
    ...structures.map((name) => ({ name })),
    ...(before.bulletin_sha256 === after.bulletin_sha256 ? [] : [{ name: "bulletin" }]),
  ];
}
