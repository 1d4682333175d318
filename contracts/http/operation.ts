import { z } from "zod";
import type { Scope } from "../access-scopes.ts";
import type { ErrorCode } from "../errors.ts";

/**
 * Who may call an operation (`contracts/docs/http.md`, Access):
 * `public`: everybody;
 * `signed-in`, `viewer`, `editor`, `admin`: sessions with at least that role;
 * `readers`: viewers and above, and guests if the catalogue named by `:id` is public;
 * `share`: everybody who knows the secret `:token` of a catalogue's share;
 * `operators`: administrators, and everybody on the service's own machine.
 */
export type Access =
  | "public"
  | "operators"
  | "readers"
  | "share"
  | "signed-in"
  | "viewer"
  | "editor"
  | "admin";

/**
 * What an operation does with the catalogue that its address names by `:id`: it reads it; it changes it; it needs
 * an owner's right; or it reads it even after its deletion (`record`), for which its handler looks by itself.
 */
export type CatalogueAct = "read" | "change" | "own" | "record";

/** An address of an operation. `suffix` tells it from the others in the OpenAPI document. */
export type Address = { readonly path: string; readonly access: Access; readonly suffix: string };

/**
 * The rate limit (`RATE_LIMIT_*`), absent `read` of GET and `write` of all others: `clients` and `parts` are for programs that send many small requests; of
 * RATE_LIMIT_AUTH, `sign-in` counts only failures, and `recovery` leaves those that an account knows a
 * budget of their own.
 */
export type RateClass =
  | "read"
  | "clients"
  | "parts"
  | "write"
  | "auth"
  | "recovery"
  | "sign-in"
  | "none";

/**
 * What an operation receives: with every body goes an example of one that it takes, for the OpenAPI document; of a
 * form it has the fields as texts.
 */
type Received =
  | { readonly body?: never; readonly example?: never }
  | {
      readonly body: z.ZodType | "bytes" | "file";
      readonly example: Readonly<Record<string, unknown>>;
    };

/**
 * One HTTP operation: the source for the gateway, the OpenAPI document and the guard tests. A body that may be
 * large is received as "bytes", and parsed off the main thread; "file" is a form with a file, read part by part. The
 * OpenAPI document shows `documentedBody` for them, and `documentedQuery` for a query that no schema reads.
 */
export type Operation = Definition & {
  /** Its name in the table of operations. */
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly rate: RateClass;
  readonly status: number;
};

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type Definition = Received & {
  readonly summary: string;
  readonly access: Access;
  /**
   * What an access token has to be for; for `session` no token suffices. Absent, `access` and `method`
   * tell (`scopeOf`).
   */
  readonly scope?: Scope | "session";
  /** What has to be set up; where it is not, its address is that of nothing. */
  readonly needs?: "institute";
  /** Absent: GET reads, all others change. */
  readonly act?: CatalogueAct;
  /** Makes a catalogue, which access tokens for some catalogues alone may not; `sometimes` by the body. */
  readonly makesCatalogue?: true | "sometimes";
  /**
   * Members of body or query that name further catalogues, as paths, with what it does with those: a caller who may
   * not is refused before its handler; `list`: it shows what there is of one, nothing where that is not there for him.
   */
  readonly names?: Readonly<Record<`${"body" | "query"}.${string}`, "read" | "change" | "list">>;
  /** Further addresses. Below a share, `:id` is the shared catalogue. */
  readonly alsoAt?: readonly Address[];
  readonly rate?: RateClass;
  readonly params?: z.ZodObject;
  /** `fdsn`: the query string of an FDSN event service, which the handler reads. */
  readonly query?: z.ZodObject | "fdsn";
  readonly documentedQuery?: z.ZodObject;
  readonly documentedBody?: z.ZodType;
  /** The most that a body of JSON may have, where that is more than of others. */
  readonly bodyMiB?: number;
  /** The connection becomes a WebSocket; asked for without an upgrade, the answer is VALIDATION_ERROR. */
  readonly upgrade?: "websocket";
  /** Of a success; absent, 200. */
  readonly status?: number;
  /** Of a success. */
  readonly answer: z.ZodType;
  /** Of streamed answers, which are not JSON of a schema. */
  readonly contentTypes?: readonly string[];
  /** Media types in which it is also answered, beside JSON of the schema. */
  readonly alsoAs?: readonly string[];
  /** The answer to `Prefer: respond-async`, for operations that can outlast their request. */
  readonly accepted?: { readonly status: 202; readonly schema: z.ZodType };
  /** A failure with a body other than an error. */
  readonly failure?: { readonly status: number; readonly schema: z.ZodType };
  /** Whether there may be nothing to answer, which is 204. */
  readonly canBeEmpty?: true;
  /** How errors are answered: as JSON, or as the text of the FDSN event service. */
  readonly errorsAs?: "fdsn";
  /** The operation's own, beside those that follow from its address, its parameters and its body (`openapi.ts`). */
  readonly errors?: readonly ErrorCode[];
  /**
   * Who may store the answer: absent, nobody; `revalidated`, whoever asks again before use. A `streamed`
   * one has no end, and is passed on as it is; an `unchanging` one has its hash in its address, and is stored by
   * whoever asked.
   */
  readonly caching?: "revalidated" | "streamed" | "unchanging";
};

const OF_CATALOGUE = /^\/api\/catalogues\/:id(?:\/|$)/;

/** What an operation does with the catalogue that an address of it names; null where it names none. */
export function catalogueActOf(
  { method, act }: Pick<Operation, "method" | "act">,
  { path }: Pick<Address, "path">,
): CatalogueAct | null {
  if (!OF_CATALOGUE.test(path)) return null;
  return act ?? (method === "GET" ? "read" : "change");
}

export function addressesOf({ path, access, alsoAt = [] }: Operation): readonly Address[] {
  return [{ path, access, suffix: "" }, ...alsoAt];
}

/** The address of a catalogue's read below its shares; `path` is that below the catalogue. */
export function sharedAt(path: string): readonly [Address] {
  return [{ path: `/api/share/:token${path}`, access: "share", suffix: "Shared" }];
}

/** What an access token has to be for at an address with this access; null: the method tells. */
const SCOPES: Readonly<Record<Access, Scope | null>> = {
  public: "read",
  readers: "read",
  share: "read",
  "signed-in": null,
  viewer: null,
  editor: "write",
  admin: "admin",
  operators: "metrics",
};

/** What an access token has to be for at an address of an operation. */
export function scopeOf(
  { scope, method }: Pick<Operation, "scope" | "method">,
  access: Access,
): Scope | "session" {
  return scope ?? SCOPES[access] ?? (method === "GET" ? "read" : "write");
}

/** What an operation receives where there is no body: an empty object where it takes one; undefined where it needs a body. */
export function bodyWhereNone({ body, method }: Pick<Operation, "body" | "method">): unknown {
  const isParsed = body !== undefined && typeof body !== "string";
  return isParsed && method === "POST" ? body.safeParse({}).data : undefined;
}

/** Case is ignored; the gateway answers a malformed id with 404, like an unknown one. */
export const Id = z.uuid().toLowerCase();
export const CatalogueParams = z.object({ id: Id });

/** The answer of what has nothing else to tell. */
export const Success = z.object({ success: z.boolean() });

/** `id` and `eventId` of `/api/catalogues/:id/events/:eventId`. */
type NamesIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

type IdsIn<P extends string> = [NamesIn<P>] extends [never]
  ? unknown
  : { readonly params: z.ZodObject<{ [Name in NamesIn<P>]: typeof Id }> };

function idsIn(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => [name, Id] as const);
  return names.length > 0 && { params: z.object(Object.fromEntries(names)) };
}

/**
 * Keeps an operation's literal types, so that its schemas type its handler; the table adds the id. Without `params`
 * every name in the path is an id.
 */
export function operation<
  const M extends Method,
  const P extends string,
  const D extends Definition,
>(method: M, path: P, definition: D) {
  const rate: RateClass = method === "GET" ? "read" : "write";
  const ids = definition.params === undefined && idsIn(path);
  const made = { method, path, rate, status: 200, ...ids, ...definition };
  return made as D &
    (D extends { readonly params: z.ZodObject } ? unknown : IdsIn<P>) & {
      readonly method: M;
      readonly path: P;
      readonly rate: RateClass;
      readonly status: number;
    };
}

export const ErrorBody = z
  .object({
    error: z.string().describe("a sentence for a person"),
    code: z.string().optional().describe("stable, UPPER_SNAKE"),
    details: z.array(z.unknown()).optional(),
    catalogueId: z.uuid().optional().describe("of a failed import: its run is in the history"),
  })
  .meta({ id: "Error" });

/** What a write was told and did not do; the first 100. */
export const MAX_WARNINGS = 100;

export const Warning = z
  .object({
    path: z.string().describe("the member of the body, or the line of a file"),
    message: z.string(),
  })
  .meta({ id: "Warning" });
export type Warning = z.infer<typeof Warning>;

export const Warnings = z
  .array(Warning)
  .max(MAX_WARNINGS)
  .optional()
  .describe(
    "members of the body that are not known or have no effect, and of a join what is doubtful in rows; absent where there are none",
  );

/** What examples of bodies name that only a reader's own service has; each stands for one of his. */
export const EXAMPLE = {
  catalogue: "6f1c2a52-0f6e-4b8e-9d43-2f1f6f0f7a10",
  otherCatalogue: "b7a1d9c4-53e2-4f0a-8c6b-91d2e4a3c520",
  /** Of the catalogue. */
  event: "0d9e7b36-7c1a-4e55-a2f8-6b3c5d4e1f30",
  /** Of the other catalogue. */
  otherEvent: "e4c8f1a7-2b6d-4930-b5e1-7a8f9c0d2b40",
  user: "user_1478996576_k41k0r",
  email: "aroha.ngata@example.org",
  password: "twelve quiet kahawai",
  newPassword: "seven loud kererū",
  resetToken: "the token of the link in the mail",
  setupCode: "the code of the link that the start printed",
} as const;
