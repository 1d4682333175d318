import { expect } from "vitest";
import { testRows } from "../support/test-rows.ts";
import type { Access, ApiOperation } from "./api-document.ts";
import { type Asked, type Complaint, complaintOf } from "./judge.ts";
import type { Outcome } from "./send-request.ts";

const JSON_TYPE = "application/json";

function operation(id: string, access: Access): ApiOperation {
  const answers = new Map([200, 400, 401, 403, 500, 503].map((status) => [status, [JSON_TYPE]]));
  return { id, method: "GET", path: "/", access, parameters: [], body: null, answers };
}

const asked = (given: Partial<Asked> = {}): Asked => ({
  operation: operation("listUsers", "admin"),
  role: "admin",
  method: "GET",
  isForbidden: false,
  isStray: false,
  ...given,
});

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Outcome {
  return {
    status,
    headers: { "content-type": `${JSON_TYPE}; charset=utf-8`, ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

const fault = (status: number, code: string) => answer(status, { error: "a sentence", code });
const upload = operation("upload", "editor");
const readiness = operation("getReadiness", "public");
const events = operation("listEvents", "readers");

const HOLE = "access hole";
const FAULT = "unintended 5xx";
const SHAPE = "answer of the wrong shape";
const asEditor = asked({ operation: upload, role: "editor" });
const asGuest = asked({ operation: events, role: "guest" });
const busy = answer(503, { error: "busy", code: "UNAVAILABLE" }, { "retry-after": "5" });
const talkative = { error: "a sentence", code: "VALIDATION_ERROR", stack: "at …" };
const page = answer(400, "<html>", { "content-type": "text/html" });

testRows<readonly [string, Complaint | null, Asked, Outcome]>(
  "of an answer to a hostile request it is said what is wrong with it",
  [
    ["a success that its role may have", null, asked(), answer(200, {})],
    ["a refusal", null, asked({ role: "viewer" }), fault(403, "FORBIDDEN")],
    ["a success of a lower role", HOLE, asked({ role: "editor" }), answer(200, {})],
    ["a guest who reads what is private", HOLE, { ...asGuest, isForbidden: true }, answer(200, {})],
    ["a guest who reads what is public", null, asGuest, answer(200, {})],
    ["a fault", FAULT, asked(), fault(500, "INTERNAL_ERROR")],
    ["a fault of the database", FAULT, asked(), fault(500, "DATABASE_ERROR")],
    ["a service that is not there", FAULT, asked(), fault(503, "UNAVAILABLE")],
    ["a stray request's fault", FAULT, asked({ isStray: true }), fault(500, "INTERNAL_ERROR")],
    ["a file that cannot be read", null, asEditor, fault(500, "PARSE_ERROR")],
    ["a fault of the reading of a file", FAULT, asEditor, fault(500, "INTERNAL_ERROR")],
    ["a service that sheds load", null, asked(), busy],
    [
      "one that is not ready",
      null,
      asked({ operation: readiness }),
      answer(503, { status: "not_ready" }),
    ],
    ["no answer", "hang", asked(), "hang"],
    ["a connection that is closed", null, asked(), "closed"],
    ["a status that is not declared", "undeclared answer", asked(), fault(418, "VALIDATION_ERROR")],
    ["an error without a sentence", SHAPE, asked(), answer(400, {})],
    ["an error that tells more", SHAPE, asked(), answer(400, talkative)],
    ["a page instead of an error", SHAPE, asked(), page],
    [
      "another type than is declared",
      SHAPE,
      asked(),
      answer(200, {}, { "content-type": "text/plain" }),
    ],
  ],
  (_, complaint, request, outcome) => {
    expect(complaintOf(request, outcome)).toBe(complaint);
  },
);
