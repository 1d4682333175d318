import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { InvalidJson } from "#infra/json/invalid-json.ts";
import { parseJson } from "#infra/json/parse-json.ts";
import { isEmailAddress, normaliseEmail } from "#services/domain/account/email-address.ts";

const Body = z.object({ email: z.string() });

/**
 * The account that a request is about, whether there is one or not: the caller's own where one has to be
 * signed in, else that of the address in the body, whoever asks. Null when it names none. The address
 * itself is not kept.
 */
export function accountTried(request: FastifyRequest): string | null {
  const email = isOwn(request) ? normalised(request.actor?.email) : addressIn(request.body);
  return email && `account ${createHash("sha256").update(email).digest("base64")}`;
}

function isOwn({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.operation?.access !== "public";
}

/** Null also for what is no body: whoever reads it says what is wrong. */
function addressIn(body: unknown): string | null {
  if (!(body instanceof Buffer)) return null;
  try {
    return normalised(Body.safeParse(parseJson(body)).data?.email);
  } catch (error) {
    if (error instanceof InvalidJson) return null;
    throw error;
  }
}

function normalised(email = ""): string | null {
  const trimmed = email.trim();
  return isEmailAddress(trimmed) ? normaliseEmail(trimmed) : null;
}
