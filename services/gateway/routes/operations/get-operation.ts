import type { Operations } from "#contracts/http/operations.ts";
import type { OperationStore } from "#infra/operations/operation-store.ts";
import type { Handler } from "../../http/handler.ts";
import { ownOperation } from "./own-operation.ts";

export function getOperationHandler({
  store,
}: {
  store: OperationStore;
}): Handler<Operations["getOperation"]> {
  return async ({ params, actor }) => ({
    body: { operation: await ownOperation(store, actor, params.id) },
  });
}
