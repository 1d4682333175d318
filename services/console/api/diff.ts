import { type CallOptions, type SeismicEvent, send, whole } from "./call.ts";

export type ChangeKind = "added" | "updated" | "removed";

/** A change of one event from one version to another. */
export type Change = {
  readonly change: ChangeKind;
  /** As it is in the later version; a removed one as it was. */
  readonly event: SeismicEvent;
  /** An updated event as it was. */
  readonly before?: SeismicEvent;
};

/** A page of changes; the counts are of all of them. */
export type Diff = {
  readonly from: number;
  readonly to: number;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly changes: readonly Change[];
  readonly nextCursor: string | null;
};

type DiffQuery = { readonly limit?: number; readonly cursor?: string };

/**
 * The changes from one version of a catalogue to another, earlier or later.
 * @throws CallError
 */
export async function readDiff(
  id: string,
  versions: { readonly from: number; readonly to: number },
  query: DiffQuery,
  options: CallOptions = {},
): Promise<Diff> {
  const params = { id, version: versions.to };
  const answer = await send(
    "GET /api/catalogues/:id/versions/:version/diff",
    { params, query: { from: versions.from, ...query } },
    options,
  );
  return whole(() => answer.json());
}
