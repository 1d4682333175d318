import { isDeepStrictEqual } from "node:util";
import type { CommonQueryMethods } from "slonik";
import { type AuditEntry, type DeedEvent, MOST_DEED_EVENTS } from "#contracts/http/audit.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type DomainEvent, fromRecorded, requireKnown } from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import { type SmallRevision, smallChanges } from "#projections/read/differences.ts";
import { type VersionEntry, type VersionHistory, versionOf } from "#services/domain/versions.ts";
import type { HandlerDeps } from "../make-handler.ts";
import { catalogueOf, entryOf } from "./audit-entry.ts";
import { deedSummary } from "./deed-summary.ts";

type DeedNeeds = Pick<HandlerDeps, "pool" | "versionHistories">;

type Told = {
  readonly recorded: RecordedEvent;
  /** Null of what this version of the service cannot read. */
  readonly event: DomainEvent | null;
  readonly catalogueId: string | null;
  readonly history: VersionHistory | null;
  readonly version: VersionEntry | null;
};

/** Entries for what was done: the catalogues by name, and what small changes made of each event. */
export async function entriesOfDeeds(
  { pool, versionHistories }: DeedNeeds,
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

function toldOf(
  recorded: RecordedEvent,
  histories: ReadonlyMap<string, VersionHistory | null>,
): Told {
  const catalogueId = catalogueOf(recorded);
  const history = (catalogueId !== null && histories.get(catalogueId)) || null;
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

const revisionKey = ({ catalogueId, version }: SmallRevision): string =>
  `${catalogueId} ${version}`;

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

const SCALARS = ["time", ...ATTRIBUTE_NAMES] as const;

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
