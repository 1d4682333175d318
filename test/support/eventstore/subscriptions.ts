import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { IStreamsServer } from "@eventstore/db-client/generated/streams_grpc_pb.js";
import streams, {
  type ReadReq,
  type ReadResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import type { EventStore } from "./event-store.ts";
import { errorBefore, type Faults, failure } from "./faults.ts";
import type { grpc } from "./from-client.ts";
import { checkpointMessage, eventMessage, streamName } from "./messages.ts";
import type { StoredEvent } from "./stored-event.ts";

export type Subscriptions = {
  serve(call: ReadCall, options: ReadReq.Options, gone: AbortSignal): void;
  /** Ends those that run, as if all were said. */
  endAll(): void;
  failAll(status: keyof typeof grpc.status): void;
  /** Those that run are sent nothing any more. */
  muteAll(): void;
  readonly count: number;
};

type Running = { isMuted: boolean; readonly end: () => void };

/** The subscriptions of one server, and what can befall them. */
export function createSubscriptions(store: EventStore, faults: Faults): Subscriptions {
  const running = new Map<ReadCall, Running>();

  function serve(call: ReadCall, options: ReadReq.Options, gone: AbortSignal): void {
    const fault = faults.subscriptions.shift();
    const error = errorBefore(fault);
    if (error) return void call.emit("error", error);
    const ending = new AbortController();
    const ended = AbortSignal.any([ending.signal, gone]);
    const state = {
      isMuted: fault?.kind.startsWith("hang") ?? false,
      end: () => ending.abort(),
    };
    running.set(call, state);
    ended.addEventListener("abort", () => running.delete(call));
    void serveSubscription({
      store,
      faults,
      options,
      ended,
      write: async (message) => {
        if (!state.isMuted) await send(call, message, ended);
      },
    });
  }

  return {
    serve,
    endAll() {
      for (const [call, { end }] of [...running]) {
        end();
        call.end();
      }
    },
    failAll(status) {
      for (const [call, { end }] of [...running]) {
        end();
        call.emit("error", failure(status));
      }
    },
    muteAll() {
      for (const state of running.values()) state.isMuted = true;
    },
    get count() {
      return running.size;
    },
  };
}

type ServeOptions = {
  readonly store: EventStore;
  readonly faults: Pick<Faults, "checkpointsAhead">;
  readonly options: ReadReq.Options;
  /** Resolves when more can be sent. */
  readonly write: (message: ReadResp) => Promise<void>;
  /** Aborts when the subscription is over. */
  readonly ended: AbortSignal;
};

/** Nothing is missed without it. */
const LOOK_AGAIN_MS = 60_000;

/** Looked at in one go; then other calls have their turn. */
const PAGE_EVENTS = 32;

/** Sends what a subscription is for: what is there, then whatever comes. */
async function serveSubscription({
  store,
  faults,
  options,
  write,
  ended,
}: ServeOptions): Promise<void> {
  const { isWanted, checkpointEvery } = eventFilter(options);
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  await write(new streams.ReadResp().setConfirmation(confirmation.setSubscriptionId(randomUUID())));
  let next = firstIndex(store.all, options);
  let looked = 0;
  let isCaughtUp = false;
  while (!ended.aborted) {
    const version = store.changes.version();
    const page = store.all.slice(next, next + PAGE_EVENTS);
    const last = page.at(-1);
    if (last && faults.checkpointsAhead) await write(checkpointMessage(last.position));
    for (const event of page) {
      if (isWanted(event)) await write(eventMessage(event));
      looked += 1;
      if (looked % checkpointEvery === 0) await write(checkpointMessage(event.position));
    }
    next += page.length;
    if (last) await setImmediate();
    else {
      const caughtUp = new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
      if (!isCaughtUp) await write(caughtUp);
      isCaughtUp = true;
      await store.changes.wait(version, LOOK_AGAIN_MS, ended);
    }
  }
}

/** The index in all events of the first that comes after where a subscription begins. */
function firstIndex(all: readonly StoredEvent[], options: ReadReq.Options): number {
  const stream = options.getStream();
  const position = options.getAll()?.getPosition();
  if (stream?.hasEnd() || options.getAll()?.hasEnd()) return all.length;
  if (stream?.hasRevision()) {
    const name = streamName(stream.getStreamIdentifier());
    const from = Number(stream.getRevision());
    const last = all.findLastIndex((event) => event.stream === name && event.revision <= from);
    return last + 1;
  }
  if (!position) return 0;
  const after = BigInt(position.getCommitPosition());
  return all.findLastIndex((event) => event.position <= after) + 1;
}

type EventFilter = {
  readonly isWanted: (event: StoredEvent) => boolean;
  /** A checkpoint is sent after so many events looked at; Infinity for none. */
  readonly checkpointEvery: number;
};

/** What the server looks at by default before it tells how far it has come. */
const WINDOW = 32;

function eventFilter(options: ReadReq.Options): EventFilter {
  const filter = options.getFilter();
  if (!filter) {
    const stream = options.getStream()?.getStreamIdentifier();
    const name = stream && streamName(stream);
    return {
      isWanted: (event) => name === undefined || event.stream === name,
      checkpointEvery: Number.POSITIVE_INFINITY,
    };
  }
  const expression = filter.getEventType() ?? filter.getStreamIdentifier();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = expression?.getRegex() ? new RegExp(expression.getRegex()) : null;
  const window = filter.hasMax() ? filter.getMax() : WINDOW;
  return {
    isWanted(event) {
      const text = filter.hasEventType() ? event.type : event.stream;
      return regex ? regex.test(text) : prefixes.some((prefix) => text.startsWith(prefix));
    },
    checkpointEvery: window * Math.max(1, filter.getCheckpointintervalmultiplier()),
  };
}

type ReadCall = Parameters<IStreamsServer["read"]>[0];

/** A signal that aborts when nobody listens to the call any more. */
export function goneSignal(call: ReadCall): AbortSignal {
  const gone = new AbortController();
  for (const end of ["cancelled", "close", "error"]) call.on(end, () => gone.abort());
  return gone.signal;
}

/** Sends a message; resolves when the call takes more, or when `gone` aborts. */
export async function send(call: ReadCall, message: ReadResp, gone: AbortSignal): Promise<void> {
  if (gone.aborted || call.write(message)) return;
  await once(call, "drain", { signal: gone }).catch(() => {});
}
