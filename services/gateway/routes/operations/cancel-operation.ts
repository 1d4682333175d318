import { ApiError } from "#contracts/errors.ts";
import type { BackgroundOperation } from "#contracts/http/background-operations.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { OperationStore } from "#infra/operations/operation-store.ts";
import type { OperationRunner } from "#services/operations/operation-runner.ts";
import type { Handler } from "../../http/handler.ts";
import { operationChanges } from "./operation-changes.ts";
import { ownOperation } from "./own-operation.ts";

/** How long the answer waits for the end; the cancellation holds whether it is seen or not. */
const END_MS = 10_000;

/** Answers the operation as it is then: `cancelled`, or still `running` where its end takes longer. */
export function cancelOperationHandler({
  store,
  runner,
}: {
  store: OperationStore;
  runner: Pick<OperationRunner, "cancel">;
}): Handler<Operations["cancelOperation"]> {
  return async ({ params: { id }, actor }) => {
    await ownOperation(store, actor, id);
    if (!(await store.requestCancel(id))) throw ended();
    runner.cancel(id);
    const look = async () => (await store.find(id))?.operation ?? null;
    let last: BackgroundOperation | null = null;
    for await (const operation of operationChanges(look, AbortSignal.timeout(END_MS))) {
      last = operation;
    }
    // It may have reached its own end first.
    if (last === null || last.status === "succeeded" || last.status === "failed") throw ended();
    return { body: { operation: last } };
  };
}

function ended(): ApiError {
  return new ApiError("CONFLICT", "The operation has ended already");
}
