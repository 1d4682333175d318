import { connect, type JetStreamManager, type StreamInfo } from "nats";
import type { Logger } from "pino";
import { sql } from "slonik";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { CHANGES, NOTICES } from "#contracts/events/log.ts";
import { updateCatalogueCommand } from "#services/catalogues/commands.ts";
import { startChanges, startPublisher } from "#services/publisher/broker.ts";
import type { Publisher } from "#services/publisher/publish-under-lease.ts";
import { createdFrom, generatedRecords } from "../support/catalogues/catalogue-scene.ts";
import { newCommand, useCatalogues } from "../support/catalogues/use-catalogues.ts";
import { checkChanges } from "../support/check-changes.ts";
import { collectingLogger, silentLogger } from "../support/logger.ts";
import { type NatsCluster, startNatsCluster } from "../support/nats-server.ts";
import { readChanges } from "../support/read-changes.ts";

/** Generous, since it only ends what would never end: a cluster takes seconds to choose a leader. */
const POLL = { timeout: 90_000, interval: 200 };

const catalogues = useCatalogues();
let cluster: NatsCluster;
beforeEach(async () => {
  cluster = await startNatsCluster();
  await catalogues.context.pool.query(sql.unsafe`truncate notifications.checkpoints`);
});
afterEach(() => cluster.stop());

function startPublishers(
  natsReplicas: number,
  logger: Logger = silentLogger(),
): readonly Publisher[] {
  const { context, databaseUrl } = catalogues;
  const deps = {
    databaseUrl,
    log: context.log,
    pool: context.pool,
    natsUrl: cluster.url,
    natsReplicas,
    compareEveryMs: 500,
    publicBaseUrl: "https://quakes.example.org",
    logger,
    onFatal: (error: unknown) => {
      throw error;
    },
  };
  const publishers = [startChanges(deps), startPublisher({ ...deps, ackWaitMs: 30_000 })];
  for (const { close } of publishers) onTestFinished(close);
  return publishers;
}

async function connected(publishers: readonly Publisher[]): Promise<void> {
  await expect
    .poll(() => publishers.map(({ state }) => state()), POLL)
    .toEqual(["connected", "connected"]);
}

/** A stream as its leader has it; null while there is none. */
async function streamInfo(name: string): Promise<StreamInfo | null> {
  const servers = cluster.servers.map(({ url }) => new URL(url).host);
  const connection = await connect({ servers, reconnect: false });
  try {
    const manager: JetStreamManager = await connection.jetstreamManager();
    return await manager.streams.info(name);
  } catch {
    return null;
  } finally {
    await connection.close();
  }
}

/** The leader of the changes, once all other servers have what it has; else null: only one may be away. */
async function leaderOfWhole(): Promise<number | null> {
  const { leader = "", replicas = [] } = (await streamInfo(CHANGES.stream))?.cluster ?? {};
  const isWhole = replicas.length === 2 && replicas.every((peer) => peer.current && !peer.offline);
  return leader !== "" && isWhole ? Number(leader) : null;
}

const losses = async () =>
  checkChanges(catalogues.context.log, await readChanges(cluster.url).catch(() => []));

test("a stream that is given three replicas holds every change whichever server is killed, before and after", async () => {
  const { context } = catalogues;
  const rename = (id: string, name: string) =>
    updateCatalogueCommand(context, newCommand(), id, { name }, null);
  const alone = startPublishers(1);
  await connected(alone);
  const id = await createdFrom(context, generatedRecords(1, 2));
  for (let i = 0; i < 100; i += 1) await rename(id, `with one replica ${i}`);
  await expect.poll(losses, POLL).toEqual([]);
  for (const { close } of alone) await close();

  await connected(startPublishers(3));
  for (const name of [CHANGES.stream, NOTICES.stream]) {
    const { config, cluster: peers } = (await streamInfo(name)) ?? {};
    expect(config?.num_replicas).toBe(3);
    expect(peers?.replicas).toHaveLength(2);
  }
  for (let round = 0; round < 3; round += 1) {
    await expect.poll(leaderOfWhole, POLL).not.toBe(null);
    const killed = cluster.servers[(await leaderOfWhole()) ?? 0];
    await killed?.kill();
    for (let i = 0; i < 10; i += 1) await rename(id, `round ${round}, change ${i}`);
    await expect.poll(losses, POLL).toEqual([]);
    await killed?.restart();
  }
  expect(await losses()).toEqual([]);
}, 400_000);

test("a server that comes back with less than was acknowledged gets the whole log again", async () => {
  const { context } = catalogues;
  await connected(startPublishers(3));
  await createdFrom(context, generatedRecords(2, 2));
  await expect.poll(losses, POLL).toEqual([]);
  for (const server of cluster.servers) {
    await server.wipe();
  }
  for (const server of cluster.servers) void server.restart();
  await createdFrom(context, generatedRecords(3, 2));
  await expect.poll(losses, POLL).toEqual([]);
}, 400_000);

test("publishers tell why a cluster without most of its servers takes nothing, and publish once these are back", async () => {
  const { log, lines } = collectingLogger();
  const [, ...away] = cluster.servers;
  for (const server of away) await server.kill();
  const publishers = startPublishers(3, log);
  const reason = "the broker does not keep 3 copies of its stream (NATS_REPLICAS): ";
  const state = expect.stringContaining(`not ready: ${reason}`);
  await expect.poll(() => publishers.map((each) => each.state()), POLL).toEqual([state, state]);
  const err = expect.objectContaining({ message: expect.stringContaining(reason) });
  expect(lines).toContainEqual(expect.objectContaining({ err }));
  for (const server of away) await server.restart();
  await connected(publishers);
  await createdFrom(catalogues.context, generatedRecords(4, 2));
  await expect.poll(losses, POLL).toEqual([]);
}, 400_000);
