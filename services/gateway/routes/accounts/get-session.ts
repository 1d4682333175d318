import type { Operations } from "#contracts/http/operations.ts";
import type { Handler } from "../../http/handler.ts";

export function getSessionHandler(): Handler<Operations["getSession"]> {
  return async ({ actor }) => {
    if (!actor) return { body: {} };
    const { userId, email, name, role, expires } = actor;
    return { body: { user: { id: userId, email, name, role }, expires } };
  };
}
