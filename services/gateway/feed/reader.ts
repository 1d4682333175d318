import { type Readers, readingKey, type SignedReading } from "#projections/read/rights.ts";

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
  const sessions = new Map<string, SignedReading>();
  const tokens = new Map<string, SignedReading>();
  const shares = new Set<string>();
  const opened = new Set<string>();
  for (const { reader, catalogueIds } of all) {
    if (reader.kind === "session") add(sessions, reader.sessionId, catalogueIds);
    else if (reader.kind === "token") add(tokens, reader.tokenId, catalogueIds);
    else if (reader.kind === "share") shares.add(reader.hash);
    else for (const id of catalogueIds) opened.add(id);
  }
  return {
    sessions: [...sessions.values()],
    tokens: [...tokens.values()],
    shares: [...shares],
    opened: [...opened],
  };
}

function add(
  readings: Map<string, SignedReading>,
  by: string,
  catalogueIds: readonly string[],
): void {
  for (const catalogueId of catalogueIds) {
    const reading = { by, catalogueId };
    readings.set(readingKey(reading), reading);
  }
}

export function mayRead({ reader, catalogueIds }: Reading, present: ReadonlySet<string>): boolean {
  const isPresent = (by: string) =>
    catalogueIds.every((catalogueId) => present.has(readingKey({ by, catalogueId })));
  if (reader.kind === "session") return isPresent(reader.sessionId);
  if (reader.kind === "token") return isPresent(reader.tokenId);
  if (reader.kind === "share") return present.has(reader.hash);
  return catalogueIds.every((id) => present.has(id));
}
