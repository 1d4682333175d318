import { createMemory } from "#infra/kernel/recent.ts";
import type { ResolvedVersion } from "#projections/queries/events/resolve-version.ts";
import { writeBody } from "./answer-body.ts";

/** What analyses have found, by version and by all that they depend on: the last asked for are kept. */
export type KeptAnalyses = <K extends object>(
  version: Pick<ResolvedVersion, "id" | "version">,
  key: string,
  find: () => Promise<K>,
) => Promise<K>;

const MAX_BYTES = 32 * 1024 * 1024;

export function createKeptAnalyses(maxBytes = MAX_BYTES): KeptAnalyses {
  const kept = createMemory<object>(maxBytes, bytesOf);
  return <K extends object>(
    { id, version }: Pick<ResolvedVersion, "id" | "version">,
    key: string,
    find: () => Promise<K>,
  ) => kept(`${id} ${version} ${key}`, find) as Promise<K>;
}

function bytesOf(found: object): number {
  return writeBody(found).reduce((sum, piece) => sum + piece.length, 0);
}
