import type { DatabasePool } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { createShared } from "#infra/kernel/recent.ts";
import { type HashedContent, rememberedHash, rememberHash } from "#infra/stores/version-hashes.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import type { ResolvedVersion, VersionRows } from "#projections/read/versions.ts";
import type { HashedVersion } from "./hash-version.ts";
import type * as tasks from "./hash-worker.ts";
import type { HashTask } from "./hash-worker.ts";

export type VersionHasher = {
  /** The SHA-256 (hex) of a version's canonical form, if it was computed before. */
  readonly remembered: (content: HashedContent) => Promise<string | null>;
  /** Computes and remembers it; callers at the same time share one computation. */
  readonly compute: (
    content: HashedContent,
    version: Pick<ResolvedVersion, keyof VersionRows | "eventCount">,
    asker: Asker,
  ) => Promise<string>;
};

export type VersionHasherDeps = Pick<HashTask, "databaseUrl"> & { readonly pool: DatabasePool };

/** Computed ones are remembered in the database. */
const KEPT = 0;

export function createVersionHasher(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl, pool }: VersionHasherDeps,
): VersionHasher {
  const shared = createShared<string>(KEPT);

  async function hash(
    content: HashedContent,
    { eventCount, ...version }: VersionRows & { readonly eventCount: number },
    asker: Asker,
  ): Promise<string> {
    const known = await rememberedHash(pool, content);
    if (known !== null) return known;
    const task = { databaseUrl, version };
    const hashed: HashedVersion = await threads.run("hashVersion", task, asker);
    // Deleted meanwhile.
    if (hashed.count !== eventCount) throw new Refusal("NOT_FOUND", "Catalogue not found");
    await rememberHash(pool, content, hashed.sha256);
    return hashed.sha256;
  }

  return {
    remembered: (content) => rememberedHash(pool, content),
    compute(content, { id, key, version, eventCount }, asker) {
      const name = JSON.stringify([content.catalogueId, content.version, content.contentHash]);
      const rows = { id, key, version, eventCount };
      return shared(name, (signal) => hash(content, rows, { ...asker, signal }), asker.signal);
    },
  };
}
