import type { AgencySettings } from "#contracts/agency.ts";
import { invalid } from "#contracts/errors.ts";

/**
 * The address of an event service, as a prefix of paths without a trailing slash, or of a table's file.
 * @throws Refusal VALIDATION_ERROR
 */
export function agencyAddress(text: string, dialect: AgencySettings["dialect"]): string {
  const url = parsed("url", text, ["http:", "https:"]);
  if (dialect === "table") return url.href;
  if (url.search !== "") throw invalid("url", "must have no query");
  let end = url.href.length;
  while (url.href[end - 1] === "/") end -= 1;
  return url.href.slice(0, end);
}

/** The address of an agency's messages. @throws Refusal VALIDATION_ERROR */
export function pushAddress(text: string): string {
  return parsed("push", text, ["ws:", "wss:"]).href;
}

function parsed(field: string, text: string, schemes: readonly string[]): URL {
  const url = URL.parse(text);
  if (url === null || !schemes.includes(url.protocol)) {
    throw invalid(field, `must be an address that begins with ${schemes.join("// or ")}//`);
  }
  if (`${url.username}${url.password}${url.hash}` !== "") {
    throw invalid(field, "must have no user name and no fragment");
  }
  return url;
}
