import { createSecretKey } from "node:crypto";
import { stat } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPasswords } from "#infra/vault/password-hash.ts";
import {
  decryptPersonal,
  emailHmac,
  encryptPersonal,
  newPersonalKey,
} from "#infra/vault/personal-data.ts";
import { clearedSessionCookie, sessionCookie, sessionCookieName } from "#infra/vault/tokens.ts";

describe("personal data", () => {
  const key = newPersonalKey();

  test("personal data comes back as it was with its key", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decryptPersonal(key, encryptPersonal(key, text))).toBe(text);
      }),
    );
  });

  test("personal data is iv, tag and ciphertext in base64url, different every time", () => {
    const [first, second] = [encryptPersonal(key, "Ana"), encryptPersonal(key, "Ana")];
    expect(first).toMatch(/^[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
    expect(first).not.toBe(second);
  });

  test("personal data cannot be read with another key", () => {
    expect(() => decryptPersonal(newPersonalKey(), encryptPersonal(key, "Ana"))).toThrow();
  });

  test("personal data cannot be read after any of its bytes was changed", () => {
    const parts = encryptPersonal(key, "Ana").split(".");
    for (const [index, part] of parts.entries()) {
      const bytes = Buffer.from(part, "base64url");
      bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
      const changed = parts.with(index, bytes.toString("base64url")).join(".");
      expect(() => decryptPersonal(key, changed)).toThrow();
    }
  });

  test.each(["", "a", "a.b", "a.b.c"])("personal data is refused when it reads %j", (text) => {
    expect(() => decryptPersonal(key, text)).toThrow();
  });
});

test("an address is named by HMAC-SHA256 in hexadecimal (RFC 4231, test case 1)", () => {
  expect(emailHmac(createSecretKey(Buffer.alloc(20, 0x0b)), "Hi There")).toBe(
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  );
});

describe("passwords", () => {
  const passwords = createPasswords();

  test("passwords are hashed by Argon2id with a salt of their own", async () => {
    const [first, second] = await Promise.all([passwords.hash("secret"), passwords.hash("secret")]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
  });

  test("passwords are verified in any Unicode composition", async () => {
    const hash = await passwords.hash("sécrét");
    expect(await passwords.verify(hash, "se\u0301cre\u0301t")).toBe(true);
    expect(await passwords.verify(hash, "secret")).toBe(false);
  });

  test("passwords of nobody never match", async () => {
    expect(await passwords.verify(null, "secret")).toBe(false);
  });
});

describe("the session cookie", () => {
  test("the session cookie is Secure and bound to the host where the service is on https", () => {
    expect(sessionCookieName("https://quakes.example.org")).toBe("__Host-session");
    expect(sessionCookie("https://quakes.example.org", "a.b.c", 60)).toBe(
      "__Host-session=a.b.c; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure",
    );
  });

  test("the session cookie is HttpOnly and SameSite=Lax on http", () => {
    expect(sessionCookie("http://localhost:3000", "a.b.c", 60)).toBe(
      "session=a.b.c; Max-Age=60; Path=/; HttpOnly; SameSite=Lax",
    );
  });

  test("the session cookie is cleared by an empty one without lifetime", () => {
    expect(clearedSessionCookie("http://localhost:3000")).toBe(
      "session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    );
  });
});

test("many passwords at once leave threads to what else waits for one", async () => {
  const passwords = createPasswords();
  let verified = 0;
  const all = Array.from({ length: 60 }, async () => {
    await passwords.verify(null, "a guess");
    verified += 1;
  });
  // What begins at once has entered the pool's queue by then.
  await setImmediate();
  await stat(import.meta.filename);
  expect(verified).toBeLessThan(30);
  await Promise.all(all);
});
