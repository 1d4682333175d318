import { BACKWARDS, END, type Position as LogPosition } from "@eventstore/db-client";
import { type Position, START } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { takeAll } from "./reads.ts";
import { fromPosition, isSystemEvent, toPosition } from "./recorded-event.ts";

const FIRST_PAGE_EVENTS = 4;
const MAX_PAGE_EVENTS = 512;

/** Position of the last event that is not the server's own; START without one. */
export type FindHead = (timeoutMs: number) => Promise<Position>;

/** Reads the log backwards, past the server's own events, each of which is examined only once. */
export function createFindHead({ client, credentials, onLeader }: Connection): FindHead {
  let known: { readonly end: Position; readonly head: Position } = { end: START, head: START };

  function found(end: Position, head: Position): Position {
    if (end > known.end) known = { end, head };
    return head;
  }

  return async (timeoutMs) => {
    const since = known;
    let end: Position | null = null;
    let before: LogPosition | typeof END = END;
    for (let maxCount = FIRST_PAGE_EVENTS; ; maxCount = Math.min(maxCount * 4, MAX_PAGE_EVENTS)) {
      const options = {
        direction: BACKWARDS,
        fromPosition: before,
        maxCount,
        credentials,
      } as const;
      const page = await onLeader(performance.now() + timeoutMs, () =>
        takeAll(client.readAll({ ...options, requiresLeader: true }), timeoutMs),
      );
      let last: Position | null = null;
      for (const { event } of page) {
        if (!event) continue;
        last = toPosition(event.position);
        end ??= last;
        const isOld = last <= since.end;
        if (!isOld && isSystemEvent(event.type)) continue;
        return found(end, isOld ? since.head : last);
      }
      if (last === null || page.length < maxCount) return found(end ?? START, since.head);
      before = fromPosition(last) ?? END;
    }
  };
}
