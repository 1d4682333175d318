import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  createNonces,
  type DigestAnswer,
  isRightAnswer,
  readCredentials,
  readDigestAnswer,
} from "#services/gateway/authentication.ts";
import { testRows } from "../../support/test-rows.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** RFC 2617, section 3.5. */
const OF_2617 = `username="Mufasa", realm="testrealm@host.com",
  nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", qop=auth, nc=00000001,
  cnonce="0a4f113b", response="6629fae49393a05397450978507c4ef1",
  opaque="5ccc069c403ebaf9f0171e9517f40e41"`.replaceAll("\n", "");

/** RFC 7616, section 3.9.1, with MD5. */
const OF_7616 =
  `username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=MD5,
  nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001,
  cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth,
  response="8ca523f5e9506fed4657c9700eebdbec",
  opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`.replaceAll("\n", "");

const VECTORS = [
  { name: "RFC 2617", text: OF_2617, ha1: md5("Mufasa:testrealm@host.com:Circle Of Life") },
  { name: "RFC 7616", text: OF_7616, ha1: md5("Mufasa:http-auth@example.org:Circle of Life") },
];

function answerIn(text: string): DigestAnswer {
  const answer = readDigestAnswer(text);
  if (answer === null) throw new Error("no answer is read");
  return answer;
}

describe.each(VECTORS)("the example of $name", ({ text, ha1 }) => {
  test("is a right answer", () => {
    expect(isRightAnswer(answerIn(text), ha1, "GET")).toBe(true);
  });

  test("is wrong for another secret, method, address, nonce and count", () => {
    const answer = answerIn(text);
    const isRight = (changed: Partial<DigestAnswer>, method = "GET", key = ha1) =>
      isRightAnswer({ ...answer, ...changed }, key, method);
    expect(isRight({}, "HEAD")).toBe(false);
    expect(isRight({}, "GET", md5("another"))).toBe(false);
    expect(isRight({ uri: "/dir/other.html" })).toBe(false);
    expect(isRight({ nonce: "another" })).toBe(false);
    expect(isRight({ nc: "00000002" })).toBe(false);
    expect(isRight({ response: "0".repeat(32) })).toBe(false);
  });
});

describe("an answer to HTTP Digest", () => {
  test("is read with quotes in quotes and blanks anywhere", () => {
    const text = String.raw`username = "a\"b\\c" ,realm="x, y=z",nonce=n , uri="/a?b=c,d",qop="auth",nc=0000000a,cnonce="",response=${"A".repeat(32)}`;
    expect(readDigestAnswer(text)).toEqual({
      username: String.raw`a"b\c`,
      realm: "x, y=z",
      nonce: "n",
      uri: "/a?b=c,d",
      cnonce: "",
      nc: "0000000a",
      response: "a".repeat(32),
    });
  });

  testRows(
    "is none where it is broken",
    [
      ["a name twice", `${OF_7616}, nc=00000002`],
      ["another algorithm", OF_7616.replace("MD5", "SHA-256")],
      ["no protection", OF_7616.replace("qop=auth,", "")],
      ["a body's protection", OF_7616.replace("qop=auth", "qop=auth-int")],
      ["no end of a quotation", OF_7616.slice(0, -1)],
      ["an end without a separator", OF_7616.replace(", uri", " uri")],
      ["a response of another length", OF_7616.replace("8ca523", "8ca5")],
      ["nothing", ""],
    ],
    (_what, text) => {
      expect(readDigestAnswer(text)).toBeNull();
    },
  );

  test("is none with one part thousands of times", () => {
    for (const piece of ['a="', "a=", 'a="\\', " ", "a=b,", "="]) {
      expect(readDigestAnswer(piece.repeat(5_000))).toBeNull();
    }
  });
});

describe("the header Authorization", () => {
  test("is read by its scheme, in any case", () => {
    expect(readCredentials("bearer abc")).toEqual({ scheme: "bearer", token: "abc" });
    const encoded = Buffer.from("user:pass:word").toString("base64");
    expect(readCredentials(`BASIC ${encoded}`)).toEqual({ scheme: "basic", password: "pass:word" });
    expect(readCredentials(`Digest ${OF_7616}`)).toEqual({
      scheme: "digest",
      answer: answerIn(OF_7616),
    });
  });

  testRows(
    "a header without credentials has none",
    [undefined, "", "Bearer", "Basic", "Basic Zm9v", "Digest x", "Negotiate abc"],
    (header) => {
      expect(readCredentials(header)).toBeNull();
    },
  );
});

describe("a nonce", () => {
  test("is fresh for five minutes, at every gateway with the same secret", () => {
    let now = 1_000_000_000_000;
    const nonces = createNonces("one secret", () => now);
    const other = createNonces("one secret", () => now);
    const nonce = nonces.next();
    expect(other.isFresh(nonce)).toBe(true);
    now += 4 * 60_000;
    expect(other.isFresh(nonce)).toBe(true);
    now += 2 * 60_000;
    expect(nonces.isFresh(nonce)).toBe(false);
  });

  test("of another secret, a later time or a changed one is not fresh", () => {
    const now = 1_000_000_000_000;
    const nonces = createNonces("one secret", () => now);
    const [time = "", signature = ""] = nonces.next().split(".");
    expect(createNonces("another", () => now).isFresh(nonces.next())).toBe(false);
    const later = (now + 1).toString(36);
    expect(nonces.isFresh(`${later}.${signature}`)).toBe(false);
    const future = createNonces("one secret", () => now + 3_600_000).next();
    expect(nonces.isFresh(future)).toBe(false);
    for (const nonce of ["", ".", time, `${time}.`, `.${signature}`, "%.%"]) {
      expect(nonces.isFresh(nonce)).toBe(false);
    }
  });
});
