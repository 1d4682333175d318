import type { Asker } from "#infra/kernel/fair-queue.ts";
import { createShared } from "#infra/kernel/recent.ts";
import type { ResolvedVersion } from "#projections/read/versions.ts";
import type { WorkTurn } from "../capacity/answer-places.ts";
import { writeBody } from "./answer-body.ts";

type OfVersion = Pick<ResolvedVersion, "id" | "version">;

/** Who asks for an analysis, as long as anybody does; `leave` gives its turn to others. */
export type AnalysisTurn = { readonly asker: Asker; readonly leave: () => void };

/**
 * What analyses have found, by version and by all that they depend on: the last asked for are kept. All who ask
 * at the same time share one work, which ends when the last of them leaves.
 */
export type KeptAnalyses = {
  /** @throws QueueFull; the signal's reason; errors of `find` */
  readonly of: <K extends object>(
    version: OfVersion,
    key: string,
    asker: Asker,
    find: (asker: Asker) => Promise<K>,
  ) => Promise<K>;
  /** The same in the turn of analyses. */
  readonly inTurn: <K extends object>(
    version: OfVersion,
    key: string,
    asker: Asker,
    find: (turn: AnalysisTurn) => Promise<K>,
  ) => Promise<K>;
  /** Whether it is kept or being found. */
  readonly has: (version: OfVersion, key: string) => boolean;
};

const MAX_BYTES = 32 * 1024 * 1024;

export function createKeptAnalyses(turn: WorkTurn, maxBytes = MAX_BYTES): KeptAnalyses {
  const shared = createShared<object>(maxBytes, bytesOf);
  const nameOf = ({ id, version }: OfVersion, key: string) => `${id} ${version} ${key}`;
  const of: KeptAnalyses["of"] = (version, key, asker, find) =>
    shared(nameOf(version, key), (signal) => find({ ...asker, signal }), asker.signal);
  return {
    of,
    inTurn: (version, key, asker, find) =>
      of(version, key, asker, async (party) => {
        const leave = await turn(party);
        try {
          return await find({ asker: party, leave });
        } finally {
          leave();
        }
      }),
    has: (version, key) => shared.has(nameOf(version, key)),
  };
}

function bytesOf(analysis: object): number {
  return writeBody(analysis).reduce((sum, piece) => sum + piece.length, 0);
}
