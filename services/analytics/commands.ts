import type { Derivation } from "#contracts/analytics/declustering.ts";
import { NO_BOUNDS } from "#contracts/events/catalogues.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { createShared } from "#infra/kernel/recent.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import type { ResolvedVersion, VersionRows } from "#projections/read/versions.ts";
import type { Declustered } from "#services/domain/analytics/declustering/decluster.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { createCatalogueCommand } from "../catalogues/commands.ts";
import { type ChunkStream, chunksOf } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import type { proximityDistribution } from "../domain/analytics/declustering/nearest-neighbour.ts";
import { writeBody } from "../handler.ts";
import type { WorkTurn } from "../turns.ts";
import type { Run } from "../works.ts";
import type * as tasks from "./worker.ts";
import type * as comparisonTasks from "./worker.ts";
import type {
  ComparedCatalogues,
  CompareRequest,
  CompareTask,
  DeclusterProgress,
  DeclusterTask,
  LabelledEnd,
  LabelledTask,
  ProximityTask,
} from "./worker.ts";

/** Finds clusters in worker threads with connections of their own; whoever leaves ends the computation at once. */
export type Declusterer = {
  readonly find: (
    task: Omit<DeclusterTask, "databaseUrl">,
    run: Run,
  ) => Promise<Omit<Declustered, "labels">>;
  readonly proximities: (
    task: Omit<ProximityTask, "databaseUrl">,
    asker: Asker,
  ) => Promise<ReturnType<typeof proximityDistribution>>;
  /** Passes the events of a role to `use`, in chunks. @throws Refusal GONE; errors of `use` */
  readonly labelled: <T>(
    task: Omit<LabelledTask, "databaseUrl">,
    asker: Asker,
    use: (events: ChunkStream<LabelledEnd>) => Promise<T>,
  ) => Promise<T>;
};

export function createDeclusterer(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl }: Pick<DeclusterTask, "databaseUrl">,
): Declusterer {
  return {
    async find(task, run) {
      const answer = async (progress: DeclusterProgress) => run.onProgress(progress);
      const items = threads.stream("findClusters", { databaseUrl, ...task }, run, { answer });
      const { value } = await items.next();
      return value;
    },
    proximities: (task, asker) => threads.run("findProximities", { databaseUrl, ...task }, asker),
    async labelled(task, asker, use) {
      const items = threads.stream("streamLabelled", { databaseUrl, ...task }, asker);
      try {
        return await use(chunksOf(items, () => {}));
      } finally {
        await items.return({ added: 0, bounds: NO_BOUNDS });
      }
    },
  };
}

export type CreateDeclustered = {
  readonly name: string;
  readonly version: VersionRows;
  /** Id of the result whose labels choose the events. */
  readonly result: string;
  readonly derivedFrom: Derivation;
  /** Whether the catalogue of the result is restricted: so is what is made of it then. */
  readonly isRestricted: boolean;
};

/**
 * Makes a catalogue, for no more people than its source, of the events of one role in a result of declustering, and returns its id once it
 * is visible.
 * @throws Refusal MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR, GONE, NOT_FOUND
 */
export async function createDeclusteredCommand(
  deps: { readonly context: CommandContext; readonly declusterer: Declusterer },
  command: Command,
  { name: text, version, result, derivedFrom, isRestricted }: CreateDeclustered,
  asker: Asker,
): Promise<string> {
  const name = catalogueName(text);
  const { context, declusterer } = deps;
  const task = { result, version, role: derivedFrom.role };
  return declusterer.labelled(task, asker, ({ chunks, end }) =>
    createCatalogueCommand(
      context,
      command,
      { name, access: isRestricted ? "restricted" : "internal", merge: null, derivedFrom },
      { chunks, totals: async () => ({ ...(await end()), updated: 0, removed: 0 }) },
    ),
  );
}

/** Compares catalogues in a thread with its own database connection. */
export type Comparer = {
  /** @throws QueueFull; Refusal NOT_FOUND, MERGE_ERROR; the signal's reason */
  readonly compare: (request: CompareRequest, run: Run) => Promise<ComparedCatalogues>;
};

export function createComparer(
  threads: WorkerThreads<typeof comparisonTasks>,
  { databaseUrl }: Pick<CompareTask, "databaseUrl">,
): Comparer {
  return {
    async compare(request, run) {
      const total = request.versions.reduce((sum, { eventCount }) => sum + eventCount, 0);
      const reading = threads.stream("compare", { ...request, databaseUrl }, run);
      for (;;) {
        const { done, value } = await reading.next();
        if (done) return value;
        run.onProgress({ done: value, total });
      }
    },
  };
}

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
