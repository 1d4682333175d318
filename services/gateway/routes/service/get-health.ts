import type { Operations } from "#contracts/http/operations.ts";
import type { Handler } from "../../http/handler.ts";

export function getHealthHandler(): Handler<Operations["getHealth"]> {
  return async () => ({ body: { status: "ok" } });
}
