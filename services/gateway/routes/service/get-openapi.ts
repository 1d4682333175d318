import type { Operations } from "#contracts/http/operations.ts";
import type { Handler } from "../../http/handler.ts";

export function getOpenApiHandler(deps: {
  document: Record<string, unknown>;
}): Handler<Operations["getOpenApi"]> {
  return async () => ({ body: deps.document });
}
