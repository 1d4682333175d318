import { createHash } from "node:crypto";
import type { MergeConfig, MergedSource } from "#contracts/merge/merge-config.ts";

/** What the pairs of a merge are of: its settings and the versions of its sources; SHA-256, hex. */
export function standsFor({
  config,
  sources,
}: {
  readonly config: MergeConfig;
  readonly sources: readonly MergedSource[];
}): string {
  const versions = sources.map(({ id, version, source }) => [id, version, source]);
  return createHash("sha256")
    .update(JSON.stringify([config, versions]))
    .digest("hex");
}
