/** Requests that are sent again: their key, and the answer that is kept for it. */

import { z } from "zod";
import { ERRORS, invalid, Refusal } from "#contracts/errors.ts";
import { type Operation, scopeOf } from "#contracts/http/operation.ts";
import type { AnswerToKeep, StoredAnswer } from "#infra/vault/idempotency-keys.ts";
import { type AnyAnswer, writeBody } from "./handler.ts";

export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** Visible ASCII without spaces, so that written keys cannot be confused. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Whether an operation accepts a key: every write by a signed-in user, and nothing that only reads. Guests have no keys. */
export function takesIdempotencyKey(operation: Operation): boolean {
  const { method, access } = operation;
  return method !== "GET" && access !== "public" && scopeOf(operation, access) !== "read";
}

/** @throws Refusal VALIDATION_ERROR */
export function parseIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === "string" && KEY.test(header)) return header;
  throw invalid(IDEMPOTENCY_KEY, "must have 1 to 255 visible ASCII characters");
}

/** Limit of stored answers; of larger ones only the fact is stored. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** Headers that belong to an answer. Cookies are never stored: they are secrets. */
const KEPT_HEADERS = ["etag", "location"];

const RATE_LIMITED = ERRORS.RATE_LIMIT_EXCEEDED.status;

/** The header that marks a repeated answer. */
export const REPLAYED = "idempotency-replayed";

type Answer = Omit<AnswerToKeep, "body"> & { readonly body: unknown };

export function answerToKeep({ status, body, headers, about }: Answer): AnswerToKeep | null {
  if (status >= 500 || status === RATE_LIMITED) return null;
  return {
    status,
    headers: Object.fromEntries(KEPT_HEADERS.flatMap((name) => entryOf(headers, name))),
    body: body === undefined ? null : textToKeep(body),
    about,
  };
}

/** Null for a long one, of which the parts that are JSON already are not looked at. */
function textToKeep(body: unknown): string | null {
  const pieces = writeBody(body);
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return bytes > MAX_KEPT_BYTES ? null : Buffer.concat(pieces, bytes).toString();
}

function entryOf(headers: Readonly<Record<string, string>>, name: string): [string, string][] {
  const value = headers[name];
  return value === undefined ? [] : [[name, value]];
}

const Made = z.object({ id: z.uuid().optional(), catalogueId: z.uuid().optional() });
const ADDRESS = /^\/api\/catalogues\/([0-9a-f-]{36})/;

/** The catalogues that an answer tells of, where a request has made or changed one. */
export function cataloguesIn({ headers, body }: StoredAnswer): readonly string[] {
  const { id, catalogueId } = Made.safeParse(body === null ? {} : JSON.parse(body)).data ?? {};
  const located = ADDRESS.exec(headers["location"] ?? "")?.[1];
  return [id, catalogueId, located].filter((one) => one !== undefined);
}

/** @throws Refusal CONFLICT when the answer is not stored */
export function replay({ status, headers, body }: StoredAnswer): AnyAnswer {
  if (body === null) {
    throw new Refusal("CONFLICT", "The request was carried out; its answer was not kept", {
      details: [{ status, ...headers }],
    });
  }
  return { status, body: JSON.parse(body), headers: { ...headers, [REPLAYED]: "true" } };
}
