import { type AuditEntry, MOST_DEED_EVENTS } from "#contracts/http/audit.ts";
import { type DomainEvent, fromRecorded, requireKnown } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import type { SmallRevision } from "#projections/queries/differences/small-changes.ts";
import {
  type VersionEntry,
  type VersionHistory,
  versionOf,
} from "#services/domain/catalogue/version-history.ts";
import type { HandlerDeps } from "../make-handler.ts";
import { catalogueOf, entryOf } from "./audit-entry.ts";
import { type DeedEvents, deedEvents, revisionKey } from "./deed-events.ts";
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
