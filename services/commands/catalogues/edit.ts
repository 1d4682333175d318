import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import { extendBounds } from "#contracts/seismic-event/bounds.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { boundsWithout } from "#projections/queries/edit-queries.ts";
import type { ExistingCatalogue } from "#services/domain/catalogue/state.ts";
import { touchedBounds } from "#services/domain/catalogue/touched-bounds.ts";
import type { CommandContext } from "../context.ts";
import type { RevisionContent } from "./write-revision.ts";

/** The events of a catalogue as one version has them: `key` is the read model's, for queries. */
export type BaseVersion = { readonly key: number; readonly version: number };

/** What an edit does, planned against a base version. */
export type Edit = {
  readonly added: readonly SeismicEventRecord[];
  readonly updated: readonly {
    readonly id: string;
    readonly before: SeismicEventRecord;
    readonly after: SeismicEventRecord;
  }[];
  readonly removed: readonly { readonly id: string; readonly before: SeismicEventRecord }[];
};

/** Bounds after the edit: those are looked up anew on which an event lies that moves or goes. */
export async function boundsAfter(
  { pool }: CommandContext,
  catalogue: ExistingCatalogue,
  base: BaseVersion,
  { added, updated, removed }: Edit,
): Promise<Bounds> {
  const gone = [...updated, ...removed];
  const touched = new Set(gone.flatMap(({ before }) => touchedBounds(catalogue.bounds, before)));
  const ids = gone.map(({ id }) => id);
  const shrunk = await boundsWithout(pool, base, ids, [...touched]);
  const bounds = { ...catalogue.bounds, ...shrunk };
  for (const record of added) extendBounds(bounds, record);
  for (const { after } of updated) extendBounds(bounds, after);
  return bounds;
}

export function contentOf(edit: Edit, bounds: Bounds): RevisionContent {
  const { added, updated, removed } = edit;
  return {
    chunks: chunksOf(edit),
    totals: () => ({
      added: added.length,
      updated: updated.length,
      removed: removed.length,
      bounds,
    }),
  };
}

function* chunksOf({ added, updated, removed }: Edit): Generator<EncodedChunk> {
  const writer = createChunkWriter();
  for (const { id } of removed) yield* some(writer.remove(id));
  for (const { id, after } of updated) yield* some(writer.update(id, after));
  for (const record of added) yield* some(writer.add(record));
  yield* some(writer.finish());
}

function* some(chunk: EncodedChunk | null): Generator<EncodedChunk> {
  if (chunk !== null) yield chunk;
}
