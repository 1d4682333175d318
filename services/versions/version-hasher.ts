import type { DatabasePool } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import { type HashedContent, rememberedHash, rememberHash } from "#infra/versions/hash-store.ts";
import type { ResolvedVersion, VersionRows } from "#projections/queries/events/resolve-version.ts";
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
  ) => Promise<string>;
  readonly close: () => Promise<void>;
};

export type VersionHasherDeps = Pick<HashTask, "databaseUrl"> & { readonly pool: DatabasePool };

/** Each reads a whole catalogue; others wait. */
const MAX_HASHES = 1;
const STUCK_AFTER_SECONDS = 60;

export function createVersionHasher({ databaseUrl, pool }: VersionHasherDeps): VersionHasher {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./hash-worker.ts", import.meta.url),
    maxThreads: MAX_HASHES,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
  });
  const running = new Map<string, Promise<string>>();

  async function hash(
    content: HashedContent,
    { eventCount, ...version }: VersionRows & { readonly eventCount: number },
  ): Promise<string> {
    const known = await rememberedHash(pool, content);
    if (known !== null) return known;
    const hashed: HashedVersion = await workers.run("hashVersion", { databaseUrl, version });
    // Deleted meanwhile.
    if (hashed.count !== eventCount) throw new Refusal("NOT_FOUND", "Catalogue not found");
    await rememberHash(pool, content, hashed.sha256);
    return hashed.sha256;
  }

  return {
    remembered: (content) => rememberedHash(pool, content),
    compute(content, { id, key, version, eventCount }) {
      const name = JSON.stringify([content.catalogueId, content.version, content.contentHash]);
      const shared = running.get(name);
      if (shared !== undefined) return shared;
      const computed = hash(content, { id, key, version, eventCount }).finally(() =>
        running.delete(name),
      );
      running.set(name, computed);
      return computed;
    },
    close: () => workers.close(),
  };
}
