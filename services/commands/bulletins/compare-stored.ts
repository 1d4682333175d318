import type { SolutionChanges } from "#contracts/bulletin/solution-change.ts";
import { unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { solutionChanges } from "#services/domain/bulletins/solution-changes.ts";
import type { StoredPieces } from "./change-stored.ts";

/** Two bulletins of an event; null where it has none. */
export type CompareTask = {
  readonly before: StoredPieces | null;
  readonly after: StoredPieces | null;
};

/** In what the bulletins differ. @throws CorruptBulletin */
export function compareStored({ before, after }: CompareTask): SolutionChanges {
  const unpacked = (pieces: StoredPieces | null) => pieces && unpackBulletin(pieces);
  return solutionChanges(unpacked(before), unpacked(after));
}
