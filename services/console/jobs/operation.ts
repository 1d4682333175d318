import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { z } from "zod";
import type { Accepted } from "#contracts/http/jobs.ts";
import {
  type AnswerOf,
  addressOf,
  type CallOptions,
  call,
  type InputOf,
  type OperationName,
  send,
  whole,
} from "../api/call.ts";
import { followStream, newerState } from "../api/follow-stream.ts";
import { useCall } from "../ui/call.tsx";
import { useRepeated } from "../ui/timers.ts";

export type Operation = AnswerOf<"GET /api/operations/:id">["operation"];

/** Between two questions while there is no stream. */
const POLL_MS = 3_000;

/** Follows an operation until it has ended: by its stream or, while there is none, by asking. Null before the first answer. */
export function useOperation(id: string) {
  const { last, error, reload } = useCall(id, (signal) =>
    call("GET /api/operations/:id", { params: { id } }, { signal }),
  );
  const streamed = useSignal<Operation | null>(null);
  const isStreaming = useRef(false);
  const ofThis = (one: Operation | null | undefined) => (one?.id === id ? one : null);
  const operation = newerState(ofThis(streamed.value), ofThis(last?.operation));
  const isRunning = operation?.status === "running";
  useEffect(() => {
    if (!isRunning) return;
    return followStream(addressOf("GET /api/operations/:id/stream", { params: { id } }), {
      type: "operation",
      onMessage: ({ data }) => {
        streamed.value = (JSON.parse(data) as { operation: Operation }).operation;
      },
      onState: (isOpen) => {
        isStreaming.current = isOpen;
      },
    });
  }, [id, isRunning]);
  useRepeated(POLL_MS, () => {
    if (isRunning && !isStreaming.current) reload();
  });
  return { operation, error, reload };
}

/**
 * Starts what can outlast its request.
 * @param attempt its key, or options with it
 * @returns the operation's id
 * @throws CallError
 */
export async function startOperation<K extends OperationName>(
  operation: K,
  input: InputOf<K>,
  attempt: string | CallOptions,
): Promise<string> {
  const response = await send(operation, input as Parameters<typeof send>[1], {
    inBackground: true,
    ...(typeof attempt === "string" ? { idempotencyKey: attempt } : attempt),
  });
  const { operationId }: z.output<typeof Accepted> = await whole(() => response.json());
  return operationId;
}
