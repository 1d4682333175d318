import { createSecretKey } from "node:crypto";
import { stat } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { NOT_SHOWN } from "#contracts/text.ts";
import { createPasswords } from "#infra/vault/credentials.ts";
import {
  decryptPersonal,
  emailHmac,
  encryptPersonal,
  newPersonalKey,
} from "#infra/vault/personal-data.ts";
import { clearedSessionCookie, sessionCookie, sessionCookieName } from "#infra/vault/tokens.ts";
import {
  isEmailAddress,
  isUserId,
  newPassword,
  normaliseEmail,
  type RegistrationForm,
  userId,
  userName,
  validRegistration,
} from "#services/domain/accounts/fields.ts";

const REQUIRED = "Email, password, and name are required";
const EMAIL = "Invalid email format";
const NAME = `The name ${NOT_SHOWN}`;
const SHORT = "Password must be at least 8 characters long";

describe("a registration", () => {
  const form = { email: "Ana@Example.org", password: "correct horse", name: " Ana " };

  test("a registration is taken with the name trimmed and the address as given", () => {
    expect(validRegistration(form)).toEqual({ ...form, name: "Ana" });
  });

  test.each<[string, RegistrationForm, string]>([
    ["nothing", {}, REQUIRED],
    ["no email", { password: "x", name: "x" }, REQUIRED],
    ["no password", { email: "x", name: "x" }, REQUIRED],
    ["no name", { email: "x", password: "x" }, REQUIRED],
    ["a null name", { ...form, name: null }, REQUIRED],
    ["a numeric password", { ...form, password: 12345678 }, REQUIRED],
    ["an array for an email", { ...form, email: ["a@b.org"] }, REQUIRED],
    ["a blank name", { ...form, name: " \t" }, REQUIRED],
    ["a blank password", { ...form, password: " ".repeat(9) }, REQUIRED],
    ["a malformed email and a short password", { ...form, email: "x", password: "x" }, EMAIL],
    ["a short password", { ...form, password: "1234567" }, SHORT],
    ["a short password and a bad name", { ...form, password: "x", name: "a\u0000" }, SHORT],
    ["a name with NUL", { ...form, name: "a\u0000" }, NAME],
    ["a name that is turned round", { ...form, name: "a\u202eb" }, NAME],
    [
      "a name of 256 characters",
      { ...form, name: "a".repeat(256) },
      "The name is longer than 255 characters",
    ],
  ])("a registration with %s is refused", (_, given, message) => {
    expect(() => validRegistration(given)).toThrow(new Refusal("VALIDATION_ERROR", message));
  });
});

describe("an email address", () => {
  test.each([
    ..."a@b.org first.last+tag@sub.example.co.nz o'brien@example.com".split(" "),
    ..."user_name@example-host.com x@1und1.de jürgen@münchen.de 用户@例子.广告".split(" "),
    `${"a".repeat(64)}@example.org`,
  ])("an email address may be %s", (address) => {
    expect(isEmailAddress(address)).toBe(true);
  });

  test.each([
    ..."|plain|@example.org|a@|a@b|a@b.|a@.b|a@b..c|a..b@c.org|.a@c.org|a.@c.org".split("|"),
    ..."a b@c.org| a@c.org|a@c.org |a@c.org\n|a@b@c.org|a@-b.org|a@b-.org".split("|"),
    ..."a@[127.0.0.1]|a\u0000@c.org|a\ud800@c.org|<a@c.org>|a@c.org\r\nBcc: x@y.org".split("|"),
    `${"a".repeat(65)}@example.org`,
    `a@${"b".repeat(64)}.org`,
    `a@${"b".repeat(60)}.${"b".repeat(60)}.${"b".repeat(60)}.${"b".repeat(60)}.${"b".repeat(20)}`,
  ])("an email address may not be %j", (address) => {
    expect(isEmailAddress(address)).toBe(false);
  });

  test("an email address may be what fast-check makes after RFC 1123 and RFC 5322", () => {
    fc.assert(fc.property(fc.emailAddress(), (address) => isEmailAddress(address)));
  });

  test("an email address is the same address in capitals", () => {
    fc.assert(
      fc.property(
        fc.emailAddress(),
        (address) => normaliseEmail(address) === normaliseEmail(address.toUpperCase()),
      ),
    );
  });

  test("an email address is the same address composed or decomposed", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        (text) => normaliseEmail(text.normalize("NFD")) === normaliseEmail(text.normalize("NFC")),
      ),
    );
  });

  test("an email address stays as it is when normalised again", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        (text) => normaliseEmail(normaliseEmail(text)) === normaliseEmail(text),
      ),
    );
  });
});

describe("a name", () => {
  test("a name of 255 characters outside the basic plane is kept", () => {
    const name = "𝒜".repeat(255);
    expect(userName(name)).toBe(name);
  });

  test.each(["", "  ", "a\nb", "a\u007f", "\ud800", "a".repeat(256)])("%j is refused", (name) => {
    expect(() => userName(name)).toThrow(Refusal);
  });
});

describe("a password", () => {
  test.each(["8 letter", "🔑".repeat(8), "x".repeat(1_000)])("%s is taken as it is", (password) => {
    expect(newPassword(password)).toBe(password);
  });

  test.each(["1234567", "🔑".repeat(7), "x".repeat(1_001), "12345678\u0000", "12345678\udc00"])(
    "%j is refused",
    (password) => {
      expect(() => newPassword(password)).toThrow(Refusal);
    },
  );
});

describe("a user id", () => {
  test("a user id holds the milliseconds and the suffix", () => {
    expect(userId(new Date(1_732_150_000_000), "0a1b2c3d4")).toBe("user_1732150000000_0a1b2c3d4");
  });

  test("a user id is told from other texts", () => {
    expect(isUserId("user_1732150000000_0a1b2c3d4")).toBe(true);
    for (const text of ["", "user_1", "user_x_y", "user_1_\u0000", "user_1_a ", "user_1_a\n"]) {
      expect(isUserId(text)).toBe(false);
    }
  });
});

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
