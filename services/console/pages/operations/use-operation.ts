import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addressOf, call } from "../../api/call.ts";
import type { AnswerOf } from "../../api/operation-types.ts";
import { useCall } from "../../ui/use-call.ts";

export type Operation = AnswerOf<"GET /api/operations/:id">["operation"];

const RECONNECT_MS = 3_000;

type Followed = {
  /** As it is now; null before the first answer. */
  readonly operation: Operation | null;
  readonly error: unknown;
  readonly reload: () => void;
};

/** Follows an operation until it has ended. */
export function useOperation(id: string): Followed {
  const { answer, error, reload } = useCall(id, (signal) =>
    call("GET /api/operations/:id", { params: { id } }, { signal }),
  );
  const told = useSignal<Operation | null>(null);
  const attempt = useSignal(0);
  const known = told.value?.id === id ? told.value : null;
  const operation = known ?? answer.value?.operation ?? null;
  const isRunning = operation?.status === "running";
  useEffect(() => {
    if (!isRunning) return;
    const stream = new EventSource(addressOf("GET /api/operations/:id/stream", { params: { id } }));
    let timer: ReturnType<typeof setTimeout> | undefined;
    stream.addEventListener("operation", ({ data }) => {
      told.value = (JSON.parse(data) as { operation: Operation }).operation;
    });
    // A lost connection comes back by itself; a refused one does not.
    stream.onerror = () => {
      if (stream.readyState === EventSource.CLOSED) timer = setTimeout(again, RECONNECT_MS);
    };
    const again = () => {
      attempt.value += 1;
      reload();
    };
    return () => {
      clearTimeout(timer);
      stream.close();
    };
  }, [id, isRunning, attempt.value]);
  return { operation, error: error.value, reload };
}
