/** What clients hold to be known by: access tokens, the code for setting up, cookies. */

import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { equalTexts } from "../kernel/texts.ts";

const PREFIX = "eqc_";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 28 digits of base 62 are 166 bits. */
const LENGTH = 28;

/** The realm of HTTP Digest and Basic. Every token's HA1 is made with it, so it can never change. */
export const TOKEN_REALM = "earthquake catalogues";

/** A new secret of an access token: `eqc_` and 166 random bits in base 62. */
export function newTokenSecret(): string {
  const digits = Array.from({ length: LENGTH }, () => DIGITS[randomInt(DIGITS.length)]);
  return PREFIX + digits.join("");
}

/** Whether a text is meant as the secret of an access token. */
export function isTokenSecret(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The SHA-256 of a token's secret, by which it is known; hex. A random secret needs no slow hash. */
export function tokenSecretHash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** HA1 of HTTP Digest with MD5, the token's id as user name (RFC 7616, 3.4.2); hex. */
export function tokenHa1(tokenId: string, secret: string): string {
  return createHash("md5").update(`${tokenId}:${TOKEN_REALM}:${secret}`).digest("hex");
}

const CODE_BYTES = 16;

/** The secret of the link for setting up, made at each start: 128 bits. */
export function newSetupCode(): string {
  return randomBytes(CODE_BYTES).toString("base64url");
}

export function isSetupCode(text: unknown, code: string): boolean {
  return typeof text === "string" && equalTexts(text, code);
}

/**
 * A cookie of this address, kept to encrypted connections where it is one of them. Browsers accept `__Host-` only if
 * it is Secure, for this host alone and for all paths.
 */
function cookieNamed(name: string, publicBaseUrl: string) {
  const isSecure = new URL(publicBaseUrl).protocol === "https:";
  const cookieName = isSecure ? `__Host-${name}` : name;
  return {
    cookieName,
    /** The `Set-Cookie` header (RFC 6265, 4.1) with a text that needs no escapes. */
    header: (text: string, lifetimeSeconds: number): string =>
      `${cookieName}=${text}; Max-Age=${lifetimeSeconds}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`,
  };
}

export function sessionCookieName(publicBaseUrl: string): string {
  return cookieNamed("session", publicBaseUrl).cookieName;
}

/** The `Set-Cookie` header with a session token, a JWT. */
export function sessionCookie(
  publicBaseUrl: string,
  token: string,
  lifetimeSeconds: number,
): string {
  return cookieNamed("session", publicBaseUrl).header(token, lifetimeSeconds);
}

/** The `Set-Cookie` header that removes the session token. */
export function clearedSessionCookie(publicBaseUrl: string): string {
  return sessionCookie(publicBaseUrl, "", 0);
}

const Sealed = z.object({ value: z.unknown(), until: z.number() });

/** A short-lived cookie that carries a step of something to the next, at whatever gateway. */
export function createSignedCookie<T>(options: {
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly lifetimeSeconds: number;
  readonly publicBaseUrl: string;
  readonly secret: string;
  readonly now: () => Date;
}) {
  const { name, schema, lifetimeSeconds, publicBaseUrl, secret, now } = options;
  const { cookieName, header } = cookieNamed(name, publicBaseUrl);
  const signatureOf = (payload: string): Buffer =>
    createHmac("sha256", `cookie ${name} ${secret}`).update(payload).digest();
  const isSigned = (payload: string, signature: string): boolean => {
    const bytes = Buffer.from(signature, "base64url");
    const expected = signatureOf(payload);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  };
  return {
    /** The `Set-Cookie` header with a value, which its owner can read and nobody can change. */
    set(value: T): string {
      const until = now().getTime() + lifetimeSeconds * 1_000;
      const payload = Buffer.from(JSON.stringify({ value, until })).toString("base64url");
      return header(`${payload}.${signatureOf(payload).toString("base64url")}`, lifetimeSeconds);
    },
    /** The `Set-Cookie` header that removes it. */
    cleared: header("", 0),
    /** Null where there is none that was set here and lasts. */
    read(cookies: Readonly<Record<string, string | undefined>>): T | null {
      const [payload = "", signature = ""] = (cookies[cookieName] ?? "").split(".");
      if (!isSigned(payload, signature)) return null;
      const text = Buffer.from(payload, "base64url").toString("utf8");
      const { value, until } = Sealed.parse(JSON.parse(text));
      return until > now().getTime() ? schema.parse(value) : null;
    },
  };
}
