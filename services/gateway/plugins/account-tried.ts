import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { InvalidJson } from "#infra/json/invalid-json.ts";
import { parseJson } from "#infra/json/parse-json.ts";
import { isEmailAddress, normaliseEmail } from "#services/domain/account/email-address.ts";

const Body = z.object({ email: z.string() });

/**
 * The account that a request to sign in, register or reset a password is about: the caller's own, or
 * that of the address in the body, whether there is one or not. Null when it names none. The address
 * itself is not kept.
 */
export function accountTried(request: FastifyRequest): string | null {
  if (request.actor) return `user ${request.actor.userId}`;
  const email = request.body instanceof Buffer ? emailOf(request.body) : null;
  if (email === null) return null;
  return `account ${createHash("sha256").update(email).digest("base64")}`;
}

/** Null also for what is no body: whoever reads it says what is wrong. */
function emailOf(bytes: Buffer): string | null {
  try {
    const { data } = Body.safeParse(parseJson(bytes));
    const email = data?.email.trim() ?? "";
    return isEmailAddress(email) ? normaliseEmail(email) : null;
  } catch (error) {
    if (error instanceof InvalidJson) return null;
    throw error;
  }
}
