import { z } from "zod";
import { ERRORS, Refusal } from "#contracts/errors.ts";
import type { AnswerToKeep, StoredAnswer } from "#infra/vault/idempotency-keys.ts";
import { writeBody } from "../http/answer-body.ts";
import type { AnyAnswer } from "../http/handler.ts";

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
