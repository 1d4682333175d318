import type { IncomingHttpHeaders } from "node:http";
import Negotiator from "negotiator";

/** Which of the codings `Accept-Encoding` prefers, the first where it does not mind. */
export function acceptedEncoding<T extends string>(
  { headers }: { readonly headers: Pick<IncomingHttpHeaders, "accept-encoding"> },
  encodings: readonly T[],
): T | undefined {
  return new Negotiator({ headers }).encoding([...encodings]) as T | undefined;
}

/** Which of the media types `Accept` prefers, the first where it does not mind; undefined for none. */
export function acceptedType<T extends string>(
  accept: string | undefined,
  types: readonly T[],
): T | undefined {
  return new Negotiator({ headers: { accept } }).mediaType([...types]) as T | undefined;
}
