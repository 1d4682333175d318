import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client";
import type { SignInRefusal } from "#contracts/sign-in-refusals.ts";
import { CircuitOpen } from "../agency/circuit-breaker.ts";
import { SignInRefused } from "./sign-in-refused.ts";

/** Codes of openid-client for a provider that is silent, or answers with something else than OpenID Connect. */
const NO_ANSWER: ReadonlySet<unknown> = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
]);

/** Errors of RFC 6749 that say that the client is registered otherwise than it is set up here. */
const OF_SET_UP: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "invalid_scope",
  "unsupported_response_type",
  "unsupported_grant_type",
]);

/** Errors by which a person, or the provider's rules for persons, say no. */
const BY_PERSON: ReadonlySet<string> = new Set(["access_denied", "consent_required"]);

const OF_ILLNESS: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

/** What a failure in the conversation with a provider means for the person. */
export function refusalOf(error: unknown): SignInRefused {
  if (error instanceof SignInRefused) return error;
  return new SignInRefused(reasonOf(error), { cause: error });
}

/** Whether an error shows that the provider is ill, not that a sign-in failed. */
export function isUnavailable(error: unknown): boolean {
  return refusalOf(error).reason === "unavailable";
}

function reasonOf(error: unknown): SignInRefusal {
  if (error instanceof CircuitOpen) return "unavailable";
  if (error instanceof AuthorizationResponseError) return reasonOfCode(error.error);
  if (error instanceof ResponseBodyError) {
    return error.status >= 500 ? "unavailable" : reasonOfCode(error.error);
  }
  // What `fetch` throws where there is no connection.
  if (error instanceof TypeError && error.cause !== undefined) return "unavailable";
  if (!(error instanceof ClientError)) return "badly-set-up";
  return NO_ANSWER.has(error.code) ? "unavailable" : "not-confirmed";
}

function reasonOfCode(code: string): SignInRefusal {
  if (BY_PERSON.has(code)) return "cancelled";
  if (OF_SET_UP.has(code)) return "badly-set-up";
  return OF_ILLNESS.has(code) ? "unavailable" : "not-confirmed";
}
