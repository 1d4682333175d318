import { sql } from "slonik";
import { isTransient } from "#infra/postgres/failures.ts";
import type { Statements } from "#infra/postgres/statements.ts";
import { Unavailable } from "../errors.ts";
import { type EventLog, type Position, START } from "../event-log.ts";
import { cursorOf, EVENT_COLUMNS, type EventRow, toRecordedEvent } from "./event-row.ts";

/** What is read by single statements. */
export function createReads(
  statements: Pick<Statements, "any" | "maybeOne">,
): Pick<EventLog, "read" | "head" | "eventAt"> {
  return {
    read: (stream, from, limit) =>
      reading(async () => {
        const rows = (await statements.any(sql.unsafe`
          select ${EVENT_COLUMNS} from event_log.events e
          where stream = ${stream} and revision >= ${from}
          order by revision limit ${limit}`)) as readonly EventRow[];
        return rows.map(toRecordedEvent);
      }),

    head: () =>
      reading(async () => {
        const row = (await statements.maybeOne(sql.unsafe`
          select event_log.position_text(transaction_id, position) as at from event_log.events
          order by transaction_id desc, position desc limit 1`)) as { at: Position } | null;
        return row?.at ?? START;
      }),

    eventAt: (at) =>
      reading(async () => {
        const { transactionId, position } = cursorOf(at);
        const row = (await statements.maybeOne(sql.unsafe`
          select event_id as id from event_log.events
          where transaction_id = ${transactionId}::bigint
            and position = ${position}::bigint`)) as { id: string } | null;
        return row?.id ?? null;
      }),
  };
}

/** @throws Unavailable when the database cannot be reached */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new Unavailable("the event log cannot be reached", { cause: error });
  }
}
