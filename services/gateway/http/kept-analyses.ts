import { createMemory } from "#infra/kernel/recent.ts";
import type { ResolvedVersion } from "#projections/queries/events/resolve-version.ts";
import { writeBody } from "./answer-body.ts";

type OfVersion = Pick<ResolvedVersion, "id" | "version">;

/** What analyses have found, by version and by all that they depend on: the last asked for are kept. */
export type KeptAnalyses = {
  <K extends object>(version: OfVersion, key: string, find: () => Promise<K>): Promise<K>;
  /** What is kept or being found. */
  known<K extends object>(version: OfVersion, key: string): Promise<K> | undefined;
};

const MAX_BYTES = 32 * 1024 * 1024;

export function createKeptAnalyses(maxBytes = MAX_BYTES): KeptAnalyses {
  const kept = createMemory<object>(maxBytes, bytesOf);
  const nameOf = ({ id, version }: OfVersion, key: string) => `${id} ${version} ${key}`;
  const find = <K extends object>(version: OfVersion, key: string, make: () => Promise<K>) =>
    kept(nameOf(version, key), make) as Promise<K>;
  const known = <K extends object>(version: OfVersion, key: string) =>
    kept.known(nameOf(version, key)) as Promise<K> | undefined;
  return Object.assign(find, { known });
}

function bytesOf(found: object): number {
  return writeBody(found).reduce((sum, piece) => sum + piece.length, 0);
}
