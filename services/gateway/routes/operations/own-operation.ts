import { ApiError } from "#contracts/errors.ts";
import type { BackgroundOperation } from "#contracts/http/background-operations.ts";
import type { OperationStore } from "#infra/operations/operation-store.ts";
import type { Actor } from "../../http/handler.ts";

/**
 * An operation that the caller may see: their own, or any as an administrator. Others do not learn
 * that there is one.
 * @throws ApiError NOT_FOUND
 */
export async function ownOperation(
  store: OperationStore,
  actor: Actor,
  id: string,
): Promise<BackgroundOperation> {
  const found = await store.find(id);
  if (found !== null && (found.owner === actor.userId || actor.role === "admin")) {
    return found.operation;
  }
  throw new ApiError("NOT_FOUND", "Operation not found");
}
