import { ApiError } from "#contracts/errors.ts";
import type { Access } from "#contracts/http/operation.ts";
import { roleAtLeast } from "#contracts/roles.ts";
import type { Actor } from "./handler.ts";

/**
 * Refuses who may not call: 401 for a guest, 403 for a role that does not suffice
 * (specification, Authentication 2). `isPublic` tells whether the named catalogue is public.
 * @throws ApiError UNAUTHENTICATED, FORBIDDEN; NOT_FOUND from `isPublic`
 */
export async function authorise(
  access: Access,
  actor: Actor | null,
  isPublic: () => Promise<boolean>,
): Promise<void> {
  switch (access) {
    case "public":
      return;
    case "readers":
      if (actor === null && !(await isPublic())) throw new ApiError("UNAUTHENTICATED");
      return;
    case "signed-in":
    case "viewer":
    case "editor":
    case "admin": {
      if (actor === null) throw new ApiError("UNAUTHENTICATED");
      const required = access === "signed-in" ? "viewer" : access;
      if (!roleAtLeast(actor.role, required)) throw new ApiError("FORBIDDEN");
      return;
    }
    default: {
      const unknown: never = access;
      throw new Error(`unknown access: ${unknown}`);
    }
  }
}
