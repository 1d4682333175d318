import type { Report } from "../../api/readiness.ts";
import { checkMessage, isWorking } from "../../model/status-words.ts";
import type { Agency } from "../../ui/call/use-agencies.ts";
import { counted, events, sentence } from "../../ui/text/format.ts";

/** How an agency's event service answers, for people. */
export const DIALECTS: Readonly<Record<Agency["dialect"], string>> = {
  fdsn: "FDSN event service",
  geonet: "FDSN event service, as GeoNet’s",
  comcat: "FDSN event service, as the USGS’s ComCat",
  seiscomp: "FDSN event service of SeisComP",
  isc: "event service of the ISC",
  emsc: "FDSN event service, as EMSC’s",
  table: "a file, read as an upload is",
};

export const DIALECT_OPTIONS = Object.entries(DIALECTS).map(([value, text]) => ({
  value: value as Agency["dialect"],
  text: sentence(text),
}));

type Health = { readonly isGood: boolean; readonly text: string };

/** Whether an agency answers, by the service's own checks; null where these do not tell. */
export function healthOf({ id, kind }: Agency, report: Report | null): Health | null {
  const name = kind === "first" ? "agency_api" : `agency:${id}`;
  const check = report?.checks.find((one) => one.name === name);
  if (check?.message === undefined) return null;
  return { isGood: isWorking(check), text: checkMessage(name, check.message) };
}

/** How much an agency is asked for at a time. */
export function limitsOf({ maxPerRequest, requestsAtOnce }: Agency): string {
  const atOnce = `${counted(requestsAtOnce, "request")} at a time`;
  return maxPerRequest === null ? atOnce : `${events(maxPerRequest)} an answer, ${atOnce}`;
}
