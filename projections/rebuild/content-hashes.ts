import { createHash } from "node:crypto";
import {
  type CatalogueEvent,
  type CatalogueEventData,
  CHUNK_EVENT,
  catalogueEvents,
  FRAME_EVENT,
} from "#contracts/domain-events/catalogue-events.ts";
import { bulletinStream, revisionStream } from "#contracts/names.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";

/** A committed revision whose hash does not match its chunks and frames. */
export type WrongRevision = {
  readonly catalogueId: string;
  readonly revision: number;
  readonly recorded: string;
  readonly computed: string;
};

/** Recomputes the `contentHash` of every RevisionCommitted from the chunks and frames in the log. */
export function createContentHashes() {
  /** SHA-256 of the chunks and frames of uncommitted revisions, by stream. */
  const chunks = new Map<string, string[]>();
  /** The hash of the latest version, by catalogue. */
  const versions = new Map<string, string>();
  const wrong: WrongRevision[] = [];
  let checked = 0;

  function takeBinary({ stream, data }: RecordedEvent): void {
    const hash = createHash("sha256").update(data as Uint8Array);
    const present = chunks.get(stream);
    if (present) present.push(hash.digest("hex"));
    else chunks.set(stream, [hash.digest("hex")]);
  }

  function take(stream: string, count: number): readonly string[] {
    const taken = chunks.get(stream) ?? [];
    chunks.delete(stream);
    return taken.slice(0, count);
  }

  function check(commit: CatalogueEventData<"RevisionCommitted">): void {
    const { catalogueId, revision, contentHash, chunks: ofChunks, frames = 0 } = commit;
    const hash = createHash("sha256").update(versions.get(catalogueId) ?? "");
    for (const sha256 of take(revisionStream(catalogueId, revision), ofChunks)) hash.update(sha256);
    for (const sha256 of take(bulletinStream(catalogueId, revision), frames)) hash.update(sha256);
    const computed = hash.digest("hex");
    checked += 1;
    if (computed !== contentHash) {
      wrong.push({ catalogueId, revision, recorded: contentHash, computed });
    }
    // Later versions were hashed with the recorded value.
    versions.set(catalogueId, contentHash);
  }

  function examine(recorded: RecordedEvent): void {
    if (recorded.type === CHUNK_EVENT || recorded.type === FRAME_EVENT) {
      takeBinary(recorded);
      return;
    }
    // Agencies and regions have no revisions.
    if (recorded.type in catalogueEvents) takeDecision(fromRecorded(recorded) as CatalogueEvent);
  }

  function takeDecision(event: CatalogueEvent): void {
    switch (event.type) {
      case "RevisionCommitted":
        check(event.data);
        return;
      case "RevisionAbandoned":
        chunks.delete(revisionStream(event.data.catalogueId, event.data.revision));
        chunks.delete(bulletinStream(event.data.catalogueId, event.data.revision));
        return;
      case "CatalogueDeleted":
        versions.delete(event.data.catalogueId);
        return;
      case "CatalogueCreated":
      case "CatalogueRenamed":
      case "VisibilityChanged":
      case "EditingChanged":
      case "MemberSet":
      case "MemberRemoved":
      case "CatalogueShared":
      case "ShareEnded":
      case "ScheduleMade":
      case "ScheduleChanged":
      case "ScheduleEnded":
      case "CatalogueMerged":
      case "MergeRefreshed":
      case "MergeDecisionsMade":
      case "MergeDecisionsWithdrawn":
      case "MetadataChanged":
      case "RevisionOpened":
      case "ImportStarted":
      case "ImportCompleted":
      case "ImportFailed":
        return;
      default:
        unknownCase(event);
    }
  }

  return {
    /** Processes catalogue events in log order. */
    take: (events: readonly RecordedEvent[]): void => events.forEach(examine),
    /** Commits checked so far. */
    checked: () => checked,
    wrong: wrong as readonly WrongRevision[],
  };
}
