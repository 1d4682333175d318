import { Refusal } from "#contracts/errors.ts";
import type { AuditQuery } from "#contracts/http/audit.ts";
import type { EventLog, Position } from "#infra/event-log/event-log.ts";
import type { MakeHandler } from "../make-handler.ts";
import { newestFirst } from "./newest-first.ts";
import { oldestFirst } from "./oldest-first.ts";

export const listAuditHandler: MakeHandler<"listAudit", "log"> =
  ({ log }) =>
  async ({ query }) => {
    const head = await log.head();
    await requirePlaces(log, head, query);
    const page = query.order === "desc" ? newestFirst(log, query) : oldestFirst(log, query, head);
    return { body: await page };
  };

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
