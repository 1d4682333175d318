import type { ErrorCode } from "./errors.ts";

/** Why an institute's account does not sign in: the status of the answer, and what the person is told. */
export const SIGN_IN_REFUSALS = {
  "not-begun": {
    code: "VALIDATION_ERROR",
    text: "This sign-in was begun in another window, or too long ago. Please begin again",
  },
  cancelled: { code: "UNAUTHENTICATED", text: "The sign-in at your institute was cancelled" },
  "not-confirmed": {
    code: "UNAUTHENTICATED",
    text: "Your institute has not confirmed this sign-in. Please begin again",
  },
  "no-email": {
    code: "FORBIDDEN",
    text: "Your institute does not tell us your email address, without which there is no account here. Its administrators can change that",
  },
  "unverified-email": {
    code: "FORBIDDEN",
    text: "Your institute has not verified your email address, which an account here needs. Its administrators can change that",
  },
  "long-subject": {
    code: "FORBIDDEN",
    text: "Your institute names your account by more than 255 characters, which OpenID Connect does not allow. Its administrators can change that",
  },
  "email-of-another": {
    code: "FORBIDDEN",
    text: "Your email address belongs to an account here that is tied to another account of your institute. Ask an administrator of this service",
  },
  inactive: {
    code: "FORBIDDEN",
    text: "Your account here is not active. Ask an administrator of this service to activate it",
  },
  unavailable: {
    code: "UNAVAILABLE",
    text: "Your institute's sign-in does not answer. Please try again in a minute",
  },
  "badly-set-up": {
    code: "UNAVAILABLE",
    text: "Your institute's sign-in does not work with this service as they are set up. Ask an administrator of this service",
  },
} as const satisfies Record<string, { code: ErrorCode; text: string }>;

export type SignInRefusal = keyof typeof SIGN_IN_REFUSALS;
