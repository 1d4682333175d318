import { z } from "zod";
import type { Access, ApiOperation } from "./api-document.ts";
import type { Outcome } from "./send-request.ts";

export const ROLES = ["guest", "viewer", "editor", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** The least role that an operation takes; of `readers` guests read what is public. */
const LEAST: Readonly<Record<Access, Role>> = {
  public: "guest",
  readers: "guest",
  // Its secret is the right.
  share: "guest",
  // Who asks from the service's own machine is an operator.
  operators: "guest",
  "signed-in": "viewer",
  viewer: "viewer",
  editor: "editor",
  admin: "admin",
};

export function mayCall(role: Role, access: Access): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(LEAST[access]);
}

export type Asked = {
  readonly operation: ApiOperation;
  /** As whom the request shows itself. */
  readonly role: Role;
  readonly method: string;
  /** True where it is about what its role may not read, whatever the operation says. */
  readonly isForbidden: boolean;
  /** True where method or address are none of the operation's. */
  readonly isStray: boolean;
};

export const COMPLAINTS = [
  "unintended 5xx",
  "hang",
  "access hole",
  "undeclared answer",
  "answer of the wrong shape",
] as const;
export type Complaint = (typeof COMPLAINTS)[number];

const ErrorShape = z.strictObject({
  error: z.string().min(1),
  code: z
    .string()
    .regex(/^[A-Z_]+$/)
    .optional(),
  details: z.array(z.unknown()).optional(),
  retryAfter: z.number().optional(),
  catalogueId: z.string().optional(),
});

/** Answers above 499 that an operation has for a hostile input. */
const INTENDED: Readonly<Record<string, RegExp>> = {
  upload: /^PARSE_ERROR$/,
  importEvents: /^(?:AGENCY_\w+|CIRCUIT_OPEN)$/,
};

/** How long a client that is shed is told to wait: longer than whom another 503 is for. */
const SHED_SECONDS = "5";
const SUCCESS = 200;
const REDIRECT = 300;
const FAILURE = 400;
const FAULT = 500;
/** Answers of HTTP itself, which no operation declares. */
const UNCHANGED = 304;
const HEADERS_TOO_LARGE = 431;

/** Whether the service sheds load, which says nothing about the request. */
export function isShed(outcome: Outcome): boolean {
  if (typeof outcome === "string") return false;
  return outcome.status === 503 && outcome.headers["retry-after"] === SHED_SECONDS;
}

/** What is wrong with the answer to a request; null where nothing is. */
export function complaintOf(asked: Asked, outcome: Outcome): Complaint | null {
  if (outcome === "hang") return "hang";
  if (outcome === "closed" || isShed(outcome)) return null;
  const { operation, role, method, isForbidden, isStray } = asked;
  const { status, body, headers } = outcome;
  const isSuccess = status >= SUCCESS && status < REDIRECT;
  const isRefused = isForbidden || (!isStray && !mayCall(role, operation.access));
  if (isSuccess && isRefused) return "access hole";
  const contentType = String(headers["content-type"] ?? "");
  const isFailure = status >= FAILURE && !(operation.id === "getReadiness" && status === 503);
  const error = isFailure && method !== "HEAD" ? errorOf(contentType, body) : undefined;
  if (status >= FAULT && isFailure && !INTENDED[operation.id]?.test(error?.code ?? "")) {
    return "unintended 5xx";
  }
  if (error === null) return "answer of the wrong shape";
  if (isStray || status === UNCHANGED || status === HEADERS_TOO_LARGE) return null;
  const declared = operation.answers.get(status);
  if (declared === undefined) return "undeclared answer";
  if (declared.length === 0) return body.length === 0 ? null : "answer of the wrong shape";
  if (method === "HEAD" || declared.some((type) => contentType.startsWith(mediaType(type)))) {
    return null;
  }
  return "answer of the wrong shape";
}

/** The error that a body holds; null when it is none. */
function errorOf(contentType: string, body: Buffer): z.infer<typeof ErrorShape> | null {
  if (contentType.startsWith("text/plain")) return eventServiceError(body.toString());
  if (!contentType.startsWith("application/json")) return null;
  try {
    return ErrorShape.safeParse(JSON.parse(body.toString())).data ?? null;
  } catch {
    return null;
  }
}

/** An error as FDSN Web Service Specification 1.1 has it on p. 3. */
function eventServiceError(text: string): z.infer<typeof ErrorShape> | null {
  return /^Error \d{3}: .+\n\n.+\n\nUsage details /.test(text) ? { error: text } : null;
}

function mediaType(type: string): string {
  return type.replace(/;.*/, "");
}
