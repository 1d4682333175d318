import { setImmediate } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import { AUDIT_LIMIT, type AuditEntry, type AuditQuery } from "#contracts/http/audit.ts";
import { catalogueStream, userStream } from "#contracts/names.ts";
import {
  type EventLog,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/event-log/event-log.ts";
import { eventsUpTo } from "#infra/event-log/events-to-head.ts";
import type { MakeHandler } from "../make-handler.ts";
import { summarise } from "./summarise.ts";

export const listAuditHandler: MakeHandler<"listAudit", "log"> =
  ({ log }) =>
  async ({ query }) => ({ body: await readAuditPage(log, query) });

type AuditPage = { readonly entries: AuditEntry[]; readonly next: string | null };

/** Most events read per request; a page that ends here is short, and the next one continues. */
const MAX_EVENTS = 10_000;
const MAX_CHUNK_BYTES = 32 * 1024 * 1024;

/**
 * A page of the log, oldest first.
 * @throws Refusal INVALID_CURSOR
 */
async function readAuditPage(
  log: Pick<EventLog, "subscribe" | "head">,
  query: AuditQuery,
): Promise<AuditPage> {
  const { limit = AUDIT_LIMIT.default } = query;
  const head = await log.head();
  const after = (query.after ?? START) as Position;
  if (query.after !== undefined && !isPlaceIn(head, after)) throw new Refusal("INVALID_CURSOR");
  const entries: AuditEntry[] = [];
  const { signal: unlimited } = new AbortController();
  const budget = { events: MAX_EVENTS, bytes: MAX_CHUNK_BYTES };
  let reached = after;
  for await (const { events } of eventsUpTo(log, after, head, unlimited)) {
    for (const event of events) {
      reached = event.position;
      spend(budget, event);
      if (isWanted(event, query)) {
        entries.push(entryOf(event));
        // Summarising a chunk takes some milliseconds.
        if (event.data instanceof Uint8Array) await setImmediate();
      }
      const full = entries.length === limit || budget.events <= 0 || budget.bytes <= 0;
      if (full) return { entries, next: reached < head ? reached : null };
    }
  }
  return { entries, next: null };
}

/** Positions consist of numbers in 16 hexadecimal digits, which every log stores in signed 64 bits. */
const NUMBERS = /^(?:[0-7][0-9a-f]{15})+$/;

/** Positions compare as text: all positions of a log have the same length. */
function isPlaceIn(head: Position, position: Position): boolean {
  return position.length === head.length && position <= head && NUMBERS.test(position);
}

function spend(budget: { events: number; bytes: number }, { data }: RecordedEvent): void {
  budget.events -= 1;
  if (data instanceof Uint8Array) budget.bytes -= data.byteLength;
}

function isWanted(event: RecordedEvent, { catalogueId, actor, type }: AuditQuery): boolean {
  return (
    (catalogueId === undefined || subjectOf(event) === catalogueStream(catalogueId)) &&
    (actor === undefined || event.metadata.actor === actor) &&
    (type === undefined || event.type === type)
  );
}

function entryOf(event: RecordedEvent): AuditEntry {
  return {
    position: event.position,
    time: event.recordedAt,
    actor: event.metadata.actor,
    type: event.type,
    subject: subjectOf(event),
    summary: summarise(event),
  };
}

const CATALOGUE = /^catalogue-[0-9a-f-]{36}/;

/**
 * Streams of revisions belong to their catalogue, streams of addresses to the account that has the
 * address.
 */
function subjectOf({ stream, data }: RecordedEvent): string {
  const catalogue = CATALOGUE.exec(stream)?.[0];
  if (catalogue !== undefined) return catalogue;
  const userId = data instanceof Uint8Array ? undefined : data["userId"];
  return typeof userId === "string" ? userStream(userId) : stream;
}
