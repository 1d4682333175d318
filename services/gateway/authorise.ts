import { ApiError } from "#contracts/errors.ts";
import type { Access } from "#contracts/http/operation.ts";
import { roleAtLeast } from "#contracts/roles.ts";
import type { Actor } from "./handler.ts";

export type Caller = {
  readonly actor: Actor | null;
  /** Whether the request comes from the service's own machine. */
  readonly isLocal: () => boolean;
  readonly isPublic: () => Promise<boolean>;
};

/**
 * Refuses who may not call: 401 for a guest, 403 for a role that does not suffice
 * (specification, Authentication 2). `isPublic` tells whether the named catalogue is public.
 * @throws ApiError UNAUTHENTICATED, FORBIDDEN; NOT_FOUND from `isPublic`
 */
export async function authorise(
  access: Access,
  { actor, isLocal, isPublic }: Caller,
): Promise<void> {
  switch (access) {
    case "public":
      return;
    case "readers":
      if (actor === null && !(await isPublic())) throw new ApiError("UNAUTHENTICATED");
      return;
    case "operators":
      if (!isLocal() && actor?.role !== "admin") throw new ApiError("FORBIDDEN");
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
