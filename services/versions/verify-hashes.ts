import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { statementsOn } from "#infra/postgres/statements.ts";
import { allRememberedHashes } from "#infra/stores/version-hashes.ts";
import { hashVersionRows } from "./hash-version.ts";

export type HashVerification = {
  readonly checked: number;
  /** Of versions that are there no more: of deleted catalogues, or from before a restore. */
  readonly gone: number;
  readonly wrong: readonly {
    readonly catalogueId: string;
    readonly version: number;
    readonly remembered: string;
    readonly computed: string;
  }[];
};

const Key = z.object({ key: z.int() });

/** Computes every remembered hash of a version again. */
export async function verifyHashes(pool: Pool, signal: AbortSignal): Promise<HashVerification> {
  const client = await pool.connect();
  const wrong: HashVerification["wrong"][number][] = [];
  let checked = 0;
  let gone = 0;
  try {
    const statements = statementsOn(client);
    for (const remembered of await allRememberedHashes(statements)) {
      signal.throwIfAborted();
      const { catalogueId, version, contentHash, sha256 } = remembered;
      const catalogue = await statements.maybeOne(sql.type(Key)`
        select c.key from read_model.catalogues c
        join read_model.catalogue_versions v on v.catalogue_key = c.key
        where c.id = ${catalogueId}::uuid and v.version = ${version}
          and v.content_hash = ${contentHash}`);
      if (catalogue === null) {
        gone += 1;
        continue;
      }
      checked += 1;
      const rows = { id: catalogueId, key: catalogue.key, version };
      const { sha256: computed } = await hashVersionRows(client, rows);
      if (computed !== sha256) wrong.push({ catalogueId, version, remembered: sha256, computed });
    }
    return { checked, gone, wrong };
  } finally {
    client.release();
  }
}
