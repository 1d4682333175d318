import { type DigestAnswer, readDigestAnswer } from "./digest-answer.ts";

/** What the header `Authorization` says. */
export type Credentials =
  | { readonly scheme: "bearer"; readonly token: string }
  | { readonly scheme: "basic"; readonly password: string }
  | { readonly scheme: "digest"; readonly answer: DigestAnswer };

/** Null for none, a malformed header, and for any other scheme. */
export function readCredentials(header: string | undefined): Credentials | null {
  const [, scheme, rest = ""] = /^(\S+) +(.*)$/s.exec(header ?? "") ?? [];
  switch (scheme?.toLowerCase()) {
    case "bearer":
      return { scheme: "bearer", token: rest };
    case "basic":
      return readBasic(rest);
    case "digest": {
      const answer = readDigestAnswer(rest);
      return answer && { scheme: "digest", answer };
    }
    default:
      return null;
  }
}

/** RFC 7617, section 2: the user name ends at the first colon. */
function readBasic(encoded: string): Credentials | null {
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? null : { scheme: "basic", password: text.slice(colon + 1) };
}
