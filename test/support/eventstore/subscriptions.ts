import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js";
import { type ReadCall, send } from "./answering.ts";
import type { EventStore } from "./event-store.ts";
import { errorBefore, type Faults, failure } from "./faults.ts";
import type { grpc } from "./from-client.ts";
import { serveSubscription } from "./serve-subscription.ts";

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
