import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream } from "#contracts/names.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import {
  createVersionHistoryBuilder,
  type VersionHistory,
  type VersionHistoryBuilder,
} from "#services/domain/versions.ts";

export type VersionHistories = {
  /**
   * The history of a catalogue's versions as the log has it when this is called; null where the log has no
   * such catalogue. Callers at the same time share one reading.
   */
  read(catalogueId: string): Promise<VersionHistory | null>;
};

/** Versions that are remembered of all catalogues together; about 600 bytes each. */
const MAX_VERSIONS = 50_000;
const READ_PAGE = 500;

type Known = {
  readonly builder: VersionHistoryBuilder;
  /** The next event to read. */
  next: number;
  running: Promise<void> | null;
  /** The reading after the running one, which may have begun before what its callers look for. */
  waiting: Promise<void> | null;
};

/**
 * Reads decision streams of catalogues, each event once: what was read is remembered, of the catalogues that
 * were asked for last.
 */
export function createVersionHistories(
  log: Pick<EventLog, "read">,
  maxVersions: number = MAX_VERSIONS,
): VersionHistories {
  const known = createRecent<Known>(maxVersions);

  function lookUp(catalogueId: string): Known {
    const unread = {
      builder: createVersionHistoryBuilder(),
      next: 0,
      running: null,
      waiting: null,
    };
    return known.keep(catalogueId, known.get(catalogueId) ?? unread);
  }

  function refresh(catalogueId: string, entry: Known): Promise<void> {
    if (entry.running === null) {
      entry.running = readOn(log, catalogueStream(catalogueId), entry).finally(() => {
        entry.running = null;
      });
      return entry.running;
    }
    // Where the log did not answer it is not asked once more: a request has 10 s.
    entry.waiting ??= entry.running
      .finally(() => {
        entry.waiting = null;
      })
      .then(() => refresh(catalogueId, entry));
    return entry.waiting;
  }

  /** The last is kept, however many versions it has. */
  function weigh(catalogueId: string, entry: Known, history: VersionHistory | null): void {
    if (known.get(catalogueId) !== entry) return;
    if (history === null) known.drop(catalogueId);
    else known.keep(catalogueId, entry, Math.min(history.versions.length, maxVersions));
  }

  return {
    async read(catalogueId) {
      const entry = lookUp(catalogueId);
      await refresh(catalogueId, entry);
      const history = entry.builder.history();
      weigh(catalogueId, entry, history);
      return history;
    },
  };
}

async function readOn(log: Pick<EventLog, "read">, stream: string, entry: Known): Promise<void> {
  while (true) {
    const page = await log.read(stream, entry.next, READ_PAGE);
    for (const recorded of page) {
      const event = fromRecorded(recorded) as CatalogueEvent;
      const { recordedAt, metadata } = recorded;
      entry.builder.take({ event, recordedAt, actor: metadata.actor });
      entry.next = recorded.revision + 1;
    }
    if (page.length < READ_PAGE) return;
  }
}
