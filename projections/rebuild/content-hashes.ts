import { createHash } from "node:crypto";
import {
  type CatalogueEvent,
  type CatalogueEventData,
  CHUNK_EVENT,
} from "#contracts/domain-events/catalogue-events.ts";
import { revisionStream } from "#contracts/names.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";

/** A committed revision whose hash does not match its chunks. */
export type WrongRevision = {
  readonly catalogueId: string;
  readonly revision: number;
  readonly recorded: string;
  readonly computed: string;
};

/** Recomputes the `contentHash` of every RevisionCommitted from the chunks in the log. */
export function createContentHashes() {
  /** SHA-256 of the chunks of uncommitted revisions, by stream. */
  const chunks = new Map<string, string[]>();
  /** The hash of the latest version, by catalogue. */
  const versions = new Map<string, string>();
  const wrong: WrongRevision[] = [];
  let checked = 0;

  function takeChunk({ stream, data }: RecordedEvent): void {
    const hash = createHash("sha256").update(data as Uint8Array);
    const present = chunks.get(stream);
    if (present) present.push(hash.digest("hex"));
    else chunks.set(stream, [hash.digest("hex")]);
  }

  function check(commit: CatalogueEventData<"RevisionCommitted">): void {
    const { catalogueId, revision, contentHash, chunks: count } = commit;
    const stream = revisionStream(catalogueId, revision);
    const hash = createHash("sha256").update(versions.get(catalogueId) ?? "");
    for (const chunk of (chunks.get(stream) ?? []).slice(0, count)) hash.update(chunk);
    const computed = hash.digest("hex");
    checked += 1;
    if (computed !== contentHash) {
      wrong.push({ catalogueId, revision, recorded: contentHash, computed });
    }
    // Later versions were hashed with the recorded value.
    versions.set(catalogueId, contentHash);
    chunks.delete(stream);
  }

  function take(recorded: RecordedEvent): void {
    if (recorded.type === CHUNK_EVENT) {
      takeChunk(recorded);
      return;
    }
    takeDecision(fromRecorded(recorded) as CatalogueEvent);
  }

  function takeDecision(event: CatalogueEvent): void {
    switch (event.type) {
      case "RevisionCommitted":
        check(event.data);
        return;
      case "RevisionAbandoned":
        chunks.delete(revisionStream(event.data.catalogueId, event.data.revision));
        return;
      case "CatalogueDeleted":
        versions.delete(event.data.catalogueId);
        return;
      case "CatalogueCreated":
      case "CatalogueRenamed":
      case "VisibilityChanged":
      case "CatalogueShared":
      case "ShareEnded":
      case "CatalogueMerged":
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
    take: (events: readonly RecordedEvent[]): void => events.forEach(take),
    /** Commits checked so far. */
    checked: () => checked,
    wrong: wrong as readonly WrongRevision[],
  };
}
