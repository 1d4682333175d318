import type { IncomingHttpHeaders } from "node:http";

/** Redirects in a row that are followed. */
export const MOST_REDIRECTS = 5;

const STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Where an answer sends its client, if that is within the same host: by the same port, or from http to https by their
 * own ports. Null for any other answer.
 */
export function redirectWithin(
  url: URL,
  status: number,
  { location }: Pick<IncomingHttpHeaders, "location">,
): URL | null {
  if (!STATUSES.includes(status) || location === undefined) return null;
  const next = URL.parse(location, url.href);
  if (next === null || next.hostname !== url.hostname) return null;
  if (next.username !== "" || next.password !== "") return null;
  const isSame = next.protocol === url.protocol && next.port === url.port;
  const isSafer = url.protocol === "http:" && next.protocol === "https:";
  return isSame || (isSafer && `${url.port}${next.port}` === "") ? next : null;
}
