import { z } from "zod";
import { ERRORS, Refusal } from "#contracts/errors.ts";
import type { AnswerToKeep, StoredAnswer } from "#infra/security/vault/idempotency-keys.ts";
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
  const text: string | undefined = JSON.stringify(body);
  return {
    status,
    headers: Object.fromEntries(KEPT_HEADERS.flatMap((name) => entryOf(headers, name))),
    body: text === undefined || Buffer.byteLength(text) > MAX_KEPT_BYTES ? null : text,
    about,
  };
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
