import type { Readers } from "#projections/queries/accounts/present-readers.ts";

/**
 * By what a stream's client may read: its session, its access token, a share with this hash of its secret,
 * or as a guest.
 */
export type Reader =
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "token"; readonly tokenId: string }
  | { readonly kind: "share"; readonly hash: string }
  | { readonly kind: "guest" };

export type Reading = { readonly reader: Reader; readonly catalogueIds: readonly string[] };

/** Everything that has to be looked up for all of them. */
export function readersOf(all: Iterable<Reading>): Readers {
  const sessions = new Set<string>();
  const tokens = new Set<string>();
  const shares = new Set<string>();
  const opened = new Set<string>();
  for (const { reader, catalogueIds } of all) {
    if (reader.kind === "session") sessions.add(reader.sessionId);
    else if (reader.kind === "token") tokens.add(reader.tokenId);
    else if (reader.kind === "share") shares.add(reader.hash);
    else for (const id of catalogueIds) opened.add(id);
  }
  return { sessions: [...sessions], tokens: [...tokens], shares: [...shares], opened: [...opened] };
}

export function mayRead({ reader, catalogueIds }: Reading, present: ReadonlySet<string>): boolean {
  if (reader.kind === "session") return present.has(reader.sessionId);
  if (reader.kind === "token") return present.has(reader.tokenId);
  if (reader.kind === "share") return present.has(reader.hash);
  return catalogueIds.every((id) => present.has(id));
}
