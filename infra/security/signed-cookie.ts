import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { isSecure } from "./session-cookie.ts";

export type SignedCookieOptions<T> = {
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly lifetimeSeconds: number;
  readonly publicBaseUrl: string;
  readonly secret: string;
  readonly now: () => Date;
};

export type SignedCookie<T> = {
  /** The `Set-Cookie` header with a value, which its owner can read and nobody can change. */
  readonly set: (value: T) => string;
  /** The `Set-Cookie` header that removes it. */
  readonly cleared: string;
  /** Null where there is none that was set here and lasts. */
  readonly read: (cookies: Readonly<Record<string, string | undefined>>) => T | null;
};

const Sealed = z.object({ value: z.unknown(), until: z.number() });

/** A short-lived cookie that carries a step of something to the next, at whatever gateway. */
export function createSignedCookie<T>(options: SignedCookieOptions<T>): SignedCookie<T> {
  const { name, schema, lifetimeSeconds, publicBaseUrl, secret, now } = options;
  const secure = isSecure(publicBaseUrl);
  const cookieName = secure ? `__Host-${name}` : name;
  const header = (text: string, seconds: number): string =>
    `${cookieName}=${text}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  const signatureOf = (payload: string): Buffer =>
    createHmac("sha256", `cookie ${name} ${secret}`).update(payload).digest();
  const isSigned = (payload: string, signature: string): boolean => {
    const given = Buffer.from(signature, "base64url");
    const expected = signatureOf(payload);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return {
    set(value) {
      const until = now().getTime() + lifetimeSeconds * 1_000;
      const payload = Buffer.from(JSON.stringify({ value, until })).toString("base64url");
      return header(`${payload}.${signatureOf(payload).toString("base64url")}`, lifetimeSeconds);
    },
    cleared: header("", 0),
    read(cookies) {
      const [payload = "", signature = ""] = (cookies[cookieName] ?? "").split(".");
      if (!isSigned(payload, signature)) return null;
      const text = Buffer.from(payload, "base64url").toString("utf8");
      const { value, until } = Sealed.parse(JSON.parse(text));
      return until > now().getTime() ? schema.parse(value) : null;
    },
  };
}
