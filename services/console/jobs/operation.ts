import { useSignal } from "@preact/signals";
import type { z } from "zod";
import type { Accepted } from "#contracts/http/jobs.ts";
import {
  type AnswerOf,
  addressOf,
  type CallOptions,
  type InputOf,
  type OperationName,
  send,
  whole,
} from "../api/call.ts";
import { newerState } from "../api/follow-stream.ts";
import { useAnswer } from "../ui/call.tsx";
import { useFollowed } from "../ui/timers.ts";

export type Operation = AnswerOf<"GET /api/operations/:id">["operation"];

/** Between two questions while there is no stream. */
const POLL_MS = 3_000;

/** Follows an operation until it has ended: by its stream or, while there is none, by asking. Null before the first answer. */
export function useOperation(id: string) {
  const params = { id };
  const { last, error, reload } = useAnswer("GET /api/operations/:id", { params });
  const streamed = useSignal<Operation | null>(null);
  const ofThis = (one: Operation | null | undefined) => (one?.id === id ? one : null);
  const operation = newerState(ofThis(streamed.value), ofThis(last?.operation));
  const isRunning = operation?.status === "running";
  const stream = isRunning ? addressOf("GET /api/operations/:id/stream", { params }) : null;
  const onMessage = ({ data }: MessageEvent<string>) => {
    streamed.value = (JSON.parse(data) as { operation: Operation }).operation;
  };
  useFollowed(stream, { type: "operation", onMessage }, POLL_MS, reload);
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
