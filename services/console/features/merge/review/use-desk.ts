import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type CallOptions, call, type InputOf, statusOf } from "../../../api/call.ts";
import { type LocatedEvent, readLocatedEvent } from "../../../api/located-event.ts";
import { user } from "../../../api/session.ts";
import { notice, useCall } from "../../../ui/call.tsx";
import { createAttempts } from "../../../ui/form/attempts.ts";
import { useRepeated } from "../../../ui/timers.ts";
import { eventsOf, type Verdict } from "../config/config.ts";
import {
  extended,
  isTaken,
  moved,
  type Queue,
  type ReviewPair,
  shownOf,
  updated,
  withBack,
  without,
} from "./queue.ts";

/** Which pairs are gone through: those that wait, or those that were put off. */
export type DeskState = "open" | "later";

type Put = InputOf<"PUT /api/catalogues/:id/merge/review/:pair">["body"];
/** Rejects where the service refuses, or is not reached. */
type PutPair = (id: string, body: Put, options?: CallOptions) => Promise<void>;

/** A decision that was made here, and its pair. */
type Made = { readonly pair: ReviewPair; readonly type: Verdict; readonly id: Promise<string> };

/** So many pairs before the end the next are asked for. */
const AHEAD = 20;
/** Claims end after a quarter of an hour without a word. */
const KEEP_MS = 5 * 60_000;

/** The queue of a merge's pairs and what is done with them; the next pair is there before the service has answered. */
export function useDesk(
  catalogue: string,
  first: { pairs: readonly ReviewPair[]; next?: string | undefined },
  state: DeskState,
) {
  const queue = useSignal<Queue>({ pairs: first.pairs, at: 0 });
  const next = useRef(first.next);
  const made = useSignal<readonly Made[]>([]);
  const pair = shownOf(queue.value);
  const put: PutPair = async (id, body, options) => {
    const params = { id: catalogue, pair: id };
    try {
      const answer = await call(
        "PUT /api/catalogues/:id/merge/review/:pair",
        { params, body },
        options,
      );
      queue.value = updated(queue.value, answer.pair);
    } catch (error) {
      if (isOvertaken(error)) await reread(id).catch(notice.error);
      throw error;
    }
  };
  /** What is known of a pair that somebody else has taken or decided. */
  const reread = async (id: string): Promise<void> => {
    const known = await readPairs(catalogue, "claimed");
    const taken = known.pairs.find((one) => one.id === id);
    queue.value = taken ? updated(queue.value, taken) : without(queue.value, id);
  };
  /** What nobody waits for; that somebody else was faster is seen in the queue. */
  const tell = (id: string, body: Put, options?: CallOptions) =>
    put(id, body, options).catch((error: unknown) => {
      if (!isOvertaken(error)) notice.error(error);
    });
  const move = (by: 1 | -1) => {
    const [left, to] = [shownOf(queue.value), moved(queue.value, by)];
    if (to.at === queue.value.at) return;
    if (left && !isTaken(left, user.value?.id)) void tell(left.id, { claim: false });
    queue.value = to;
  };
  const decide = (type: Verdict) => {
    if (!pair || isTaken(pair, user.value?.id)) return;
    const id = makeDecision(catalogue, pair, type);
    made.value = [...made.value, { pair, type, id }];
    queue.value = without(queue.value, pair.id);
    id.catch((error: unknown) => {
      notice.error(error);
      made.value = made.value.filter((one) => one.pair.id !== pair.id);
      queue.value = withBack(queue.value, pair);
    });
  };
  const undo = async () => {
    const last = made.value.at(-1);
    if (!last) return;
    made.value = made.value.slice(0, -1);
    const decisionId = await last.id.catch(() => null);
    // It was never made, which has been told.
    if (decisionId === null) return;
    try {
      const params = { id: catalogue, decisionId };
      await call("DELETE /api/catalogues/:id/merge/decisions/:decisionId", { params });
    } catch (error) {
      // One that is not there is undone, perhaps by the last attempt, whose answer was lost.
      if (statusOf(error) !== 404) {
        made.value = [...made.value, last];
        return notice.error(error);
      }
    }
    queue.value = withBack(queue.value, { ...last.pair, claim: null });
  };
  const putOff = () => {
    if (!pair || isTaken(pair, user.value?.id)) return;
    queue.value = without(queue.value, pair.id);
    put(pair.id, state === "open" ? { later: true } : { later: false, claim: false }).catch(
      (error: unknown) => {
        if (isOvertaken(error)) return;
        notice.error(error);
        queue.value = withBack(queue.value, pair);
      },
    );
  };
  useClaim(pair, tell);
  useRepeated(KEEP_MS, () => {
    if (pair?.claim?.user === user.value?.id && pair) void tell(pair.id, { claim: true });
  });
  const isNear = queue.value.pairs.length - queue.value.at < AHEAD;
  useEffect(() => {
    const cursor = next.current;
    if (!isNear || cursor === undefined) return;
    next.current = undefined;
    readPairs(catalogue, state, cursor).then(({ pairs, next: further }) => {
      next.current = further;
      queue.value = extended(queue.value, pairs);
    }, notice.error);
  }, [isNear, queue.value]);
  const solutions = useSolutions(queue.value);
  return { queue, pair, solutions, made, move, decide, undo, putOff, put };
}

export type Desk = ReturnType<typeof useDesk>;

/** What opens a pair claims it; what leaves the desk, or closes its tab, gives the last one back. */
function useClaim(pair: ReviewPair | null, tell: PutPair): void {
  const shown = useRef(pair);
  shown.current = pair;
  useEffect(() => {
    if (pair && !isTaken(pair, user.value?.id)) void tell(pair.id, { claim: true });
  }, [pair?.id]);
  useEffect(() => {
    const leave = () => {
      const last = shown.current;
      if (last && !isTaken(last, user.value?.id)) {
        void tell(last.id, { claim: false }, { outlivesPage: true });
      }
    };
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);
}

/** Both solutions of the pair that is looked at; those of the next are read ahead. */
function useSolutions(queue: Queue): Solutions | null {
  const read = useMemo(createSolutions, []);
  const pair = shownOf(queue);
  const next = queue.pairs[queue.at + 1];
  const { answer } = useCall(pair?.id ?? "", async () => {
    const solutions = pair && (await read(pair));
    if (next) void read(next);
    return solutions;
  });
  return answer;
}

/** Somebody else has decided the pair, or looks at it. */
function isOvertaken(error: unknown): boolean {
  return [404, 409].includes(statusOf(error) ?? 0);
}

async function makeDecision(catalogue: string, pair: ReviewPair, type: Verdict): Promise<string> {
  const note = pair.note?.trim();
  const body = { type, events: eventsOf(pair), ...(note && { note }) };
  const params = { id: catalogue };
  const { decision } = await createAttempts()(body, (idempotencyKey) =>
    call("POST /api/catalogues/:id/merge/decisions", { params, body }, { idempotencyKey }),
  );
  return decision.id;
}

/** A page of a queue's pairs. */
export async function readPairs(
  catalogue: string,
  state: DeskState | "claimed",
  cursor?: string,
  signal?: AbortSignal,
): Promise<{ readonly pairs: readonly ReviewPair[]; readonly next: string | undefined }> {
  const { pairs, nextCursor } = await call(
    "GET /api/catalogues/:id/merge/review",
    { params: { id: catalogue }, query: { state, cursor } },
    signal ? { signal } : {},
  );
  return { pairs, next: nextCursor ?? undefined };
}

export type Solutions = readonly [first: LocatedEvent | null, second: LocatedEvent | null];

/** Solutions that are kept at hand: those of the last pairs, and of the next. */
const KEPT = 64;

/** Reads both solutions of a pair; those of a pair that was read ahead are there at once. */
function createSolutions(): (pair: ReviewPair) => Promise<Solutions> {
  const known = new Map<string, Promise<LocatedEvent | null>>();
  const read = ({ catalogue_id: id, event_id: eventId }: ReviewPair["first"]) => {
    const key = `${id} ${eventId}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    // One that cannot be read is shown by what the pair itself tells.
    const reading = readLocatedEvent({ id, eventId }, undefined).catch(() => {
      known.delete(key);
      return null;
    });
    known.set(key, reading);
    const [oldest] = known.keys();
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    return reading;
  };
  return async ({ first, second }) => Promise.all([read(first), read(second)]);
}
