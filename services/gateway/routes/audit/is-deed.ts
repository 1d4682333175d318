import { CHUNK_EVENT, FRAME_EVENT } from "#contracts/domain-events/catalogue-events.ts";
import type { DomainEvent } from "#infra/log/domain-events.ts";
import type { RecordedEvent } from "#infra/log/event-log.ts";
import { IMPORT_FAILED } from "#services/domain/catalogues/catalogue.ts";

type EventType = DomainEvent["type"] | typeof CHUNK_EVENT | typeof FRAME_EVENT;

/** Steps of what another event tells: the revision's commit, the import's end, the account's registration. */
const STEPS: ReadonlySet<string> = new Set([
  "CatalogueCreated",
  "CatalogueMerged",
  "RevisionOpened",
  "ImportStarted",
  "ApprovalRequested",
  "UserInvited",
  "EmailReserved",
  "EmailReleased",
  CHUNK_EVENT,
  FRAME_EVENT,
] satisfies EventType[]);

/** Whether events of a type may stand for what was done. */
export const mayBeDeed = (type: string): boolean => !STEPS.has(type);

/** An import's commit, and that it was given up, is told by the import's end. */
export function isDeed({ type, data }: RecordedEvent): boolean {
  if (!mayBeDeed(type)) return false;
  const { cause, reason } = data as { readonly cause?: unknown; readonly reason?: unknown };
  if (type === "RevisionAbandoned") return reason !== IMPORT_FAILED;
  return type !== "RevisionCommitted" || cause !== "import";
}
