import type { Readers } from "#projections/queries/accounts/present-readers.ts";

/** By what a stream's client may read: its session, a share with this hash of its secret, or as a guest. */
export type Reader =
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "share"; readonly hash: string }
  | { readonly kind: "guest" };

export type Reading = { readonly reader: Reader; readonly catalogueIds: readonly string[] };

/** Everything that has to be looked up for all of them. */
export function readersOf(all: Iterable<Reading>): Readers {
  const sessions = new Set<string>();
  const shares = new Set<string>();
  const opened = new Set<string>();
  for (const { reader, catalogueIds } of all) {
    if (reader.kind === "session") sessions.add(reader.sessionId);
    else if (reader.kind === "share") shares.add(reader.hash);
    else for (const id of catalogueIds) opened.add(id);
  }
  return { sessions: [...sessions], shares: [...shares], opened: [...opened] };
}

export function mayRead({ reader, catalogueIds }: Reading, present: ReadonlySet<string>): boolean {
  if (reader.kind === "session") return present.has(reader.sessionId);
  if (reader.kind === "share") return present.has(reader.hash);
  return catalogueIds.every((id) => present.has(id));
}
