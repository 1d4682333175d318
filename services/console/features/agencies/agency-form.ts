import { REQUESTS_AT_ONCE } from "#contracts/agency-limits.ts";
import type { Agency } from "../../ui/call/use-agencies.ts";

/** What the form holds, as it was typed. */
export type AgencyForm = {
  readonly name: string;
  readonly url: string;
  readonly dialect: Agency["dialect"];
  readonly maxPerRequest: string;
  readonly requestsAtOnce: string;
  readonly push: string;
};

/** @param agency null for a new one */
export function formOf(agency: Agency | null): AgencyForm {
  return {
    name: agency?.name ?? "",
    url: agency?.url ?? "",
    dialect: agency?.dialect ?? "fdsn",
    maxPerRequest: String(agency?.maxPerRequest ?? ""),
    requestsAtOnce: String(agency?.requestsAtOnce ?? REQUESTS_AT_ONCE),
    push: agency?.push ?? "",
  };
}

export function settingsOf({ name, url, dialect, ...typed }: AgencyForm) {
  const { maxPerRequest, requestsAtOnce, push } = typed;
  return {
    name: name.trim(),
    url: url.trim(),
    dialect,
    maxPerRequest: maxPerRequest.trim() === "" ? null : Number(maxPerRequest),
    requestsAtOnce: Number(requestsAtOnce),
    push: push.trim() === "" ? null : push.trim(),
  };
}
