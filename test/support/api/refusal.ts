import { expect } from "vitest";
import { ERRORS, type ErrorCode } from "#contracts/errors.ts";
import type { ApiAnswer } from "../api-client.ts";

export type FieldFault = { readonly field: string; readonly message: string };

export type RefusalBody = {
  readonly error: string;
  readonly code: ErrorCode;
  readonly details?: readonly FieldFault[];
};

/**
 * Expects the form of errors (`contracts/docs/http.md`, Errors): the code's status and a sentence, which
 * contains `names` if given.
 */
export function expectRefusal(answer: ApiAnswer, code: ErrorCode, names?: string): RefusalBody {
  const body = answer.body as RefusalBody;
  expect.soft(answer.status, JSON.stringify(body)).toBe(ERRORS[code].status);
  expect(body).toMatchObject({ error: expect.stringMatching(/\S/), code });
  if (names !== undefined) expect(body.error).toContain(names);
  return body;
}
