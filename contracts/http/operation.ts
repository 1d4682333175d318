import type { z } from "zod";
import type { ErrorCode } from "../errors.ts";

/**
 * Who may call an operation (specification, "Access by operation"):
 * `public` anybody; `signed-in`, `viewer`, `editor`, `admin` a session with at least that role;
 * `readers` viewers and up, and guests where the catalogue named by `:id` is public (contract §4);
 * `operators` administrators, and anybody on the service's own machine (contract §9).
 */
export type Access =
  | "public"
  | "operators"
  | "readers"
  | "signed-in"
  | "viewer"
  | "editor"
  | "admin";

/**
 * The rate limit that an operation counts against (`RATE_LIMIT_*`). `auth` and `sign-in` both have that of
 * RATE_LIMIT_AUTH: of the first every request counts, of the second every failure.
 */
export type RateClass = "read" | "write" | "auth" | "sign-in" | "none";

/**
 * One HTTP operation: everything the gateway, the OpenAPI document and the guard tests know of it.
 * `body: "events"` marks a body with a large `events` member, which is taken as bytes and read off
 * the main thread, `"file"` a form with a file, which is read part by part; `documentedBody` is what the OpenAPI document shows for it.
 */
export type Operation = {
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly access: Access;
  readonly rate: RateClass;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | "events" | "file";
  readonly documentedBody?: z.ZodType;
  /** `contentTypes` where the answer is streamed, and no JSON of a schema. */
  readonly success: {
    readonly status: number;
    readonly schema: z.ZodType;
    readonly contentTypes?: readonly string[];
  };
  /** The answer instead to `Prefer: respond-async`, where the operation can run on after it. */
  readonly accepted?: { readonly status: 202; readonly schema: z.ZodType };
  /** An answer other than an error body that a handler may give instead. */
  readonly failure?: { readonly status: number; readonly schema: z.ZodType };
  readonly errors: readonly ErrorCode[];
  /**
   * Who may keep the answer: nobody where it is absent, with `revalidated` whoever asks again each time
   * whether it still holds.
   */
  readonly caching?: "revalidated";
};

/** Keeps the literal types of an operation, so that its handler is typed by its schemas. */
export function operation<const O extends Operation>(definition: O): O {
  return definition;
}
