import { Refusal } from "#contracts/errors.ts";
import type { OpenIdProvider } from "./openid-provider.ts";

const absent = () => Promise.reject(new Refusal("NOT_FOUND"));

/** Where no institute's sign-in is set up. */
export const NO_PROVIDER: OpenIdProvider = { begin: absent, finish: absent };
