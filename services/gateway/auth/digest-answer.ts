import { createHash } from "node:crypto";
import { equalTexts } from "#infra/kernel/texts.ts";

/** A client's answer to a challenge of HTTP Digest with MD5 and `qop=auth` (RFC 7616, section 3.4). */
export type DigestAnswer = {
  readonly username: string;
  readonly realm: string;
  readonly nonce: string;
  readonly uri: string;
  readonly cnonce: string;
  /** How often the nonce has been used, 8 hexadecimal digits. */
  readonly nc: string;
  /** 32 hexadecimal digits. */
  readonly response: string;
};

/** `name=token` or `name="quoted"` (RFC 9110, sections 5.6.4 and 11.2). */
const PARAMETERS = /\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))\s*(?:,|$)/gsy;

/** Null for an answer that lacks something, is malformed, or of another algorithm. */
export function readDigestAnswer(text: string): DigestAnswer | null {
  const parameters = readParameters(text);
  if (parameters === null) return null;
  const value = (name: string) => parameters.get(name) ?? "";
  const algorithm = parameters.get("algorithm") ?? "MD5";
  if (algorithm.toUpperCase() !== "MD5" || value("qop").toLowerCase() !== "auth") return null;
  const answer = {
    username: value("username"),
    realm: value("realm"),
    nonce: value("nonce"),
    uri: value("uri"),
    cnonce: value("cnonce"),
    nc: value("nc"),
    response: value("response").toLowerCase(),
  };
  const isWhole = /^[0-9a-f]{8}$/i.test(answer.nc) && /^[0-9a-f]{32}$/.test(answer.response);
  return isWhole ? answer : null;
}

/** By their names in lower case; null for a malformed list and for a name given twice. */
function readParameters(text: string): ReadonlyMap<string, string> | null {
  const parameters = new Map<string, string>();
  let end = 0;
  for (const { 0: whole, 1: name = "", 2: quoted, 3: plain = "" } of text.matchAll(PARAMETERS)) {
    const key = name.toLowerCase();
    if (parameters.has(key)) return null;
    parameters.set(key, quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gs, "$1"));
    end += whole.length;
  }
  return end === text.length ? parameters : null;
}

/** Whether an answer was made with the secret behind `ha1` (hex) for a request with this method. */
export function isRightAnswer(answer: DigestAnswer, ha1: string, method: string): boolean {
  const { nonce, nc, cnonce, uri, response } = answer;
  const ha2 = md5(`${method}:${uri}`);
  return equalTexts(md5(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`), response);
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
