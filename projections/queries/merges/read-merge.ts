import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { MergeConfig, MergedSource } from "#contracts/merge/merge-config.ts";
import { hiddenSources, isThereFor, type Reader } from "../rights/reader-rights.ts";

const Row = z.object({
  id: z.uuid(),
  version: z.int(),
  config: MergeConfig,
  sources: z.array(MergedSource),
  /** The version that the merge, or its last refresh, left. */
  mergedVersion: z.int(),
  /** Ids of the sources that are hidden from the reader; null for none. */
  hidden: z.array(z.string()).nullable(),
});

const Latest = z.object({ id: z.uuid(), key: z.int(), version: z.int() });

export type MergeRow = z.infer<typeof Row> & {
  /** Of those of its sources that are there for the reader. */
  readonly latest: readonly z.infer<typeof Latest>[];
};

/** How a catalogue is merged; null for one that is no merge, or is not there for the reader. */
export async function readMerge(
  statements: Pick<CommonQueryMethods, "any" | "maybeOne">,
  catalogueId: string,
  reader: Reader,
): Promise<MergeRow | null> {
  const row = await statements.maybeOne(sql.type(Row)`
    select c.id, c.version, merge_config as config, source_catalogues as sources,
      merge_revision as "mergedVersion", ${hiddenSources(reader, "c")} as hidden
    from read_model.catalogues c
    where c.id = ${catalogueId} and merge_config is not null and ${isThereFor(reader, "c")}`);
  if (row === null) return null;
  const ids = row.sources.map(({ id }) => id);
  const latest = await statements.any(sql.type(Latest)`
    select id, key, version from read_model.catalogues c
    where id = any(${sql.array(ids, "uuid")}) and ${isThereFor(reader, "c")}`);
  return { ...row, latest };
}
