/** Keeps up the parts of catalogues that are to have some, in one process of all. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";
import { MINUTE_MS } from "#contracts/units.ts";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { untilAborted } from "#infra/kernel/waiting.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { withLease } from "#infra/postgres/coordination.ts";
import { gauges } from "#infra/process/metrics.ts";
import { type PublishedVersion, versionsForParts } from "#projections/read/exports.ts";
import { uuidOrNull } from "#projections/read/lists.ts";
import type { CommandContext } from "../context.ts";
import { loadCatalogue } from "../streams.ts";
import type { GatewayThreads } from "../threads.ts";
import { createDueRuns } from "../works.ts";
import { nullIfMissing, planParts, removeParts } from "./publish.ts";

export type PartsKeeperDeps = {
  readonly context: CommandContext;
  readonly threads: Pick<GatewayThreads, "parts">;
  /** Has a folder for each catalogue, by its id. */
  readonly partsDir: string;
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly registry: Registry;
  readonly logger: Logger;
};

const POLL_MS = 1_000;
/** Between two of one catalogue: with what writing some changes takes, a version is there within a minute. */
const SPACING_MS = MINUTE_MS - 5_000;
/** Fewer rows are written beside more, so that they do not wait for them: one of each kind at once. */
const MANY_ROWS = 200_000;
const AT_ONCE = 2;

export function keepParts(deps: PartsKeeperDeps): { readonly close: () => Promise<void> } {
  const { databaseUrl, openSocket, logger } = deps;
  const stopping = new AbortController();
  const { keeper, published } = measured(deps);
  const options = { signal: stopping.signal, log: logger, openSocket };
  const keeping = withLease(databaseUrl, "parts", options, async ({ signal }) => {
    const runs = createDueRuns({
      atOnce: AT_ONCE,
      pollMs: POLL_MS,
      claim: keeper.due,
      run: (version) => keeper.publish(version, signal).then(published),
      onTrouble: (error) => logger.warn({ err: error }, "it is not known which parts are due"),
    });
    await untilAborted(signal);
    await runs.stop();
    keeper.forget();
  }).catch((error: unknown) => logger.error({ err: error }, "parts are not kept up any more"));
  return {
    close: async () => {
      stopping.abort();
      await keeping;
    },
  };
}

function measured(deps: PartsKeeperDeps) {
  const keeper = createPartsKeeper(deps);
  const runs = new Counter({
    name: "parts_published_total",
    help: "Versions whose parts were written in this process by how that ended",
    labelNames: ["outcome"],
    registers: [deps.registry],
  });
  const collect = gauges([
    {
      name: "parts_behind",
      help: "Catalogues whose parts are of an earlier version, as this process knows that keeps them up",
      read: () => [{ value: keeper.behind() }],
    },
  ]);
  collect(deps.registry);
  const published = (isDone: boolean) => runs.inc({ outcome: isDone ? "published" : "failed" });
  return { keeper, published };
}

/** What is known of a catalogue's parts. */
type Known = {
  /** What they were when they were looked at last, or written. */
  readonly as: string;
  /** When they were written last, and when they may be written again, in milliseconds since 1970. */
  readonly last: number;
  readonly next: number;
};

/** Looks for parts that are due, and has them written. */
export function createPartsKeeper({
  context,
  threads,
  partsDir,
  logger,
}: Pick<PartsKeeperDeps, "context" | "threads" | "partsDir" | "logger">) {
  const known = new Map<string, Known>();
  /** By id, whether many rows are written. */
  const running = new Map<string, boolean>();
  let behind = 0;
  const now = () => context.now().getTime();

  /** Claims versions whose parts are due, one of many rows and one of few where none is being written. */
  async function due(free: number): Promise<PublishedVersion[]> {
    if (free === 0) return [];
    const versions = await versionsForParts(context.pool, null);
    const wanted = versions.filter(({ isWithheld }) => !isWithheld);
    await removeUnwanted(new Set(wanted.map(({ id }) => id)));
    const isOpen = (version: PublishedVersion) => known.get(version.id)?.as !== asText(version);
    // Whose parts were written last comes last.
    const last = ({ id }: PublishedVersion) => known.get(id)?.last ?? 0;
    const open = wanted.filter(isOpen).toSorted((a, b) => last(a) - last(b));
    behind = open.length;
    const claimed = new Map<boolean, PublishedVersion>();
    for (const version of open) {
      if (running.has(version.id) || (known.get(version.id)?.next ?? 0) > now()) continue;
      const rows = await rowsDue(version);
      const isMany = rows !== null && rows > MANY_ROWS;
      const isTaken = claimed.has(isMany) || [...running.values()].includes(isMany);
      if (rows !== null && !isTaken) claimed.set(isMany, version);
    }
    for (const [isMany, { id }] of claimed) running.set(id, isMany);
    return [...claimed.values()];
  }

  /** How many rows are to be written; null where nothing is due. */
  async function rowsDue(version: PublishedVersion): Promise<number | null> {
    const plan = await planParts(context.pool, folderOf(version), version);
    if (plan.what === "nothing") {
      known.set(version.id, { as: asText(version), last: 0, next: 0 });
      return null;
    }
    // Another process may have written them just now.
    const last = plan.before === null ? 0 : Date.parse(plan.before.published_at);
    return last + SPACING_MS <= now() ? plan.rows : null;
  }

  /** @returns whether it was done; never rejects */
  async function publish(latest: PublishedVersion, signal: AbortSignal): Promise<boolean> {
    const { id, version } = latest;
    let as = "";
    try {
      await threads.parts.run(
        "publish",
        { directory: folderOf(latest), latest },
        { ...NOBODY, signal },
      );
      as = asText(latest);
    } catch (error) {
      if (!signal.aborted) {
        logger.warn({ err: error, catalogueId: id, version }, "parts could not be written");
      }
    }
    known.set(id, { as, last: now(), next: now() + SPACING_MS });
    running.delete(id);
    return as !== "";
  }

  /** Removes the folders of catalogues that are to have no parts, or are gone, by what the log has of them. */
  async function removeUnwanted(wanted: ReadonlySet<string>): Promise<void> {
    for (const id of (await readdir(partsDir).catch(nullIfMissing)) ?? []) {
      if (uuidOrNull(id) === null || wanted.has(id) || running.has(id)) continue;
      // A read model that is being made from the start of the log does not know it yet, and another log's stay.
      const { state } = await loadCatalogue(context, id);
      const [version] = await versionsForParts(context.pool, id);
      const isToHave = state.status === "existing" && state.parts && version?.isWithheld !== true;
      if (isToHave || state.status === "absent") continue;
      await removeParts(join(partsDir, id));
      known.set(id, { as: "", last: known.get(id)?.last ?? 0, next: 0 });
    }
  }

  function folderOf({ id }: PublishedVersion): string {
    return join(partsDir, id);
  }

  return {
    due,
    publish,
    behind: () => behind,
    /** What another process does from now on is not known here. */
    forget(): void {
      known.clear();
      behind = 0;
    },
  };
}

/** What a manifest tells of a version. */
function asText({ version, contentHash, name, sha256 }: PublishedVersion): string {
  return JSON.stringify([version, contentHash, name, sha256]);
}
