import type { ClientBase } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { MergeConfig, MergedSource } from "#contracts/merge/merge-config.ts";
import { statementsOn } from "#infra/postgres/statements.ts";

const MergeBase = z.object({
  id: z.uuid(),
  key: z.int(),
  /** The latest version, and how many events it has. */
  version: z.int(),
  eventCount: z.int(),
  /** The highest revision: the latest version's, or that of an open one. */
  lastRevision: z.int(),
  /** The version that the merge, or its last refresh, left, and how many events it has. */
  revision: z.int(),
  formerCount: z.int(),
  config: MergeConfig,
  sources: z.array(MergedSource),
  /** Null where it was not recorded. */
  duplicateGroups: z.int().nullable(),
  /** The rules that grouped its events; null for those before they were numbered. */
  rules: z.int().nullable(),
  /** How many events of the log have changed its decisions. */
  decided: z.int(),
  /** Whether decisions were made or withdrawn since the refresh. */
  isTouched: z.boolean(),
});

/** A merged catalogue as its last refresh left it, and as it is. */
export type MergeBase = z.infer<typeof MergeBase>;

/** Null for a catalogue that is no merge, or has no version. */
export function readMergeBase(client: ClientBase, catalogueId: string): Promise<MergeBase | null> {
  return statementsOn(client).maybeOne(sql.type(MergeBase)`
    select c.id, c.key, c.version, c.event_count as "eventCount",
      coalesce(c.open_revision, c.version) as "lastRevision", c.merge_revision as revision,
      v.event_count as "formerCount", c.merge_config as config, c.source_catalogues as sources,
      c.merge_duplicate_groups as "duplicateGroups", c.merge_rules as rules,
      c.merge_decided as decided,
      exists (
        select from read_model.merge_touched t where t.catalogue_id = c.id) as "isTouched"
    from read_model.catalogues c
    join read_model.catalogue_versions v on v.catalogue_key = c.key and v.version = c.merge_revision
    where c.id = ${catalogueId}::uuid and c.merge_config is not null`);
}

/** Those of some catalogues that exist, whoever may read them. */
export async function existingAmong(
  client: ClientBase,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await statementsOn(client).any(sql.type(z.object({ id: z.uuid() }))`
    select id from read_model.catalogues where id = any(${sql.array([...ids], "uuid")})`);
  return new Set(rows.map(({ id }) => id));
}
