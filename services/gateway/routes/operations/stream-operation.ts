import type { Operations } from "#contracts/http/operations.ts";
import type { OperationStore } from "#infra/operations/operation-store.ts";
import type { Handler } from "../../http/handler.ts";
import { operationChanges } from "./operation-changes.ts";
import { operationEvents } from "./operation-events.ts";
import { ownOperation } from "./own-operation.ts";

/** @param stopping ends every stream, so that the service can stop while clients listen */
export function streamOperationHandler({
  store,
  stopping,
}: {
  store: OperationStore;
  stopping: AbortSignal;
}): Handler<Operations["streamOperation"]> {
  return async ({ params: { id }, actor, scope }) => {
    await ownOperation(store, actor, id);
    const look = async () => (await store.find(id))?.operation ?? null;
    const changes = operationChanges(look, AbortSignal.any([stopping, scope.signal]));
    return {
      contentType: "text/event-stream",
      headers: { "x-accel-buffering": "no" },
      open: () => operationEvents(changes, () => performance.now()),
    };
  };
}
