import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agencyText } from "#infra/agency/http/exchange.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** What secrets are made of: of the second kind are passwords of people. */
const token = fc.stringMatching(/^[A-Za-z0-9._~+/=-]{8,40}$/);
const passphrase = fc.stringMatching(/^[ -~ʼßø]{8,40}$/).filter((text) => text.trim().length >= 8);
/** In the user information of an address. */
const userPart = fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@-]{8,40}$/);

const ANNOUNCED: readonly ((secret: string) => string)[] = [
  (secret) => `Authorization: Bearer ${secret}`,
  (secret) => `authorization=${secret}`,
  (secret) => `bearer\t${secret}`,
  (secret) => `BEARER\n${secret}`,
  (secret) => `token=${secret}`,
  (secret) => `token=1&format=xml&other=${secret}`,
  (secret) => `https://host/query?access_token=${secret}`,
  (secret) => `https://host/query?x=1%26token%3D${secret}`,
  (secret) => `{"api_key": "${secret}", "code": 5}`,
  (secret) => `{"apiKeyValue":"${secret}"}`,
  (secret) => `{"keys": ["first", "${secret}"]}`,
  (secret) => `X-API-Key: ${secret}`,
  (secret) => `apikey ${secret}`,
  (secret) => `KEY=${secret}`,
  (secret) => `your key is ${secret}`,
  (secret) => `client_secret => ${secret}`,
  (secret) => `Password: '${secret}'`,
  (secret) => `wrong passwd ${secret}`,
  (secret) => `PWD=${secret};`,
  (secret) => `Set-Cookie: session=${secret}`,
  (secret) => `Tokens:\r\n  - ${secret}`,
  (secret) => `to\u200bken=${secret}`,
  (secret) => `se\0cret=${secret}`,
  (secret) => `ｔｏｋｅｎ＝${secret}`,
];

const ADDRESSES: readonly ((user: string) => string)[] = [
  (user) => `https://${user}@host/`,
  (user) => `https://name:${user}@host:8080/path?query`,
  (user) => `moved to <https://name:${user}@host/>.`,
  (user) => `postgres://name:${user}@db.internal/x`,
  (user) => `//name:${user}@host/`,
  (user) => `name:${user}@host`,
  (user) => `https:\\/\\/name:${user}@host\\/`,
  (user) => `back=https%3A%2F%2Fname%3A${user}%40host%2F`,
  (user) => `{"first":"https://a:${user}@host/","second":"https://b:${user}@host/"}`,
];

const surroundings = fc.stringMatching(/^[ a-jA-J.,;()'"\n]{0,100}$/);

describe("an agency's text", () => {
  test("an agency's text is at most 200 printable characters on one line, whatever it is", () => {
    const any = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.string({ maxLength: 5_000, size: "max" }),
    );
    fc.assert(
      fc.property(any, (text) => {
        const told = agencyText(text);
        expect(told.length).toBeLessThanOrEqual(200);
        expect(told).not.toMatch(UNPRINTABLE);
        expect(told.isWellFormed()).toBe(true);
      }),
      { numRuns: runs(3_000) },
    );
  });

  test("an agency's text has nothing of a secret behind a word that announces one", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ANNOUNCED),
        fc.oneof(token, passphrase),
        surroundings,
        surroundings,
        (form, secret, before, after) => {
          const told = agencyText(`${before}${form(secret)}${after}`);
          expect(told).not.toContain(secret.trim().slice(0, 8));
          expect(told).not.toContain(secret.trim().slice(-8));
        },
      ),
      { numRuns: runs(5_000) },
    );
  });

  test("an agency's text has nothing of the user information of an address", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ADDRESSES),
        userPart,
        surroundings,
        surroundings,
        (form, user, before, after) => {
          const told = agencyText(`${before} ${form(user)} ${after}`);
          expect(told).not.toContain(user.slice(0, 8));
          expect(told).not.toContain(user.slice(-8));
        },
      ),
      { numRuns: runs(5_000) },
    );
  });

  test("an agency's text has nothing of an address that is cut where no more is looked at", () => {
    for (let length = 1_900; length < 2_100; length++) {
      const told = agencyText(`${" ".repeat(length)}x https://name:hunter2hunter2@host/`);
      expect(told).not.toMatch(/hunter/);
    }
    expect(agencyText(`https://name:${"s".repeat(3_000)}@host/`)).toBe("");
    expect(agencyText("see https://name:hunter2 hunter2@host/")).toBe("see [left out]");
  });

  testRows(
    "an agency's text is told as it is where nothing is wrong with it",
    [
      "Error 400: the parameter minmagnitude is out of range",
      "no earthquakes in Turkey or on Monkey Island; see the keyword list of Keystone",
      "Usage details are available from https://service.example:8080/fdsnws/event/1/",
      "http://[::1]:3000/, http://host:80.",
      "write to help@service.example",
      "Kaikōura – 97 % of “all” 🌋",
    ],
    (text) => {
      expect(agencyText(text)).toBe(text);
    },
  );

  testRows(
    "an agency's text is told on one line, without secrets, and shortened",
    [
      ["a\r\n\tb\u2028c\u0000d", "a b cd"],
      ["https://name:pw@host/path?a=b", "https://host/path?a=b"],
      ["Invalid API key abc", "Invalid API key [left out]"],
      ["Basic dXNlcjpodW50ZXIyaHVudGVyMg==", "Basic [left out]"],
      ["x".repeat(300), `${"x".repeat(199)}…`],
      [`${"x".repeat(198)}🌋🌋`, `${"x".repeat(198)}…`],
    ],
    (text, told) => {
      expect(agencyText(text)).toBe(told);
    },
  );
});
