import { setTimeout as delay } from "node:timers/promises";
import { createEventStoreDbEventLog } from "#infra/log/eventstoredb-event-log.ts";
import { createPostgresEventLog } from "#infra/log/postgres-event-log.ts";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { checkChanges } from "../support/check-changes.ts";
import { randomOf } from "../support/generate-catalogue.ts";
import { readChanges } from "../support/read-changes.ts";
import { createLedger, type Ledger } from "./actions.ts";
import {
  checkAccounts,
  checkCatalogues,
  checkLeftovers,
  checkNotifications,
  checkReadModel,
  checkTopic,
  settle,
} from "./checks.ts";
import { createPersistentClient, followFeeds, prepareRudeness, runClient } from "./clients.ts";
import { type Faults, superviseFaults } from "./parts.ts";
import { ADMIN, startWorld, type World } from "./world.ts";

export type TortureReport = {
  readonly writes: number;
  readonly repeated: number;
  readonly faults: Faults["counts"];
  /** Messages of the analytics topic, repetitions included. */
  readonly messages: number;
  readonly notifications: number;
  /** How often a client of a feed was killed. */
  readonly feedKills: number;
  /** What was lost, half-visible or wrong, in sentences. */
  readonly losses: readonly string[];
};

const CLIENTS = 3;

/** Writes and breaks for `seconds`, all at random from `seed`; then holds the service to its answers. */
export async function runTorture(
  seconds: number,
  seed: number,
  tell: (progress: string) => void = () => {},
): Promise<TortureReport> {
  const world = await startWorld(seed);
  try {
    const ledger = createLedger();
    const random = randomOf(seed);
    const send = createPersistentClient({ gateways: world.gateways, random, ledger });
    const login = { method: "POST", path: "/api/auth/login", body: ADMIN } as const;
    const { body } = await send<{ token: string }>(login);
    const { token } = body;
    const rudeness = await prepareRudeness(send, ledger, token);
    const ending = new AbortController();
    const clients = Array.from({ length: CLIENTS }, (_, i) => {
      const own = {
        send,
        ledger,
        token,
        agency: world.agency.catalogue,
        own: [],
        random: randomOf(seed + 1 + i),
      };
      return runClient(own, ending.signal);
    });
    const given = { token, rudeness };
    const faults = superviseFaults(world, randomOf(seed + 1_000), given, ending.signal);
    const ofFeeds = { gateways: world.gateways, random: randomOf(seed + 2_000), ledger, token };
    const followers = followFeeds(ofFeeds, ending.signal);
    const all = Promise.all([...clients, faults]);
    await Promise.race([delay(seconds * 1_000), all]);
    ending.abort();
    await all;
    tell(`${ledger.writes} writes; waiting until the service is at rest`);
    const unsettled = await settle(world);
    tell(`clients of feeds were killed ${followers.killed()} times; they follow to the end`);
    const misfed = await followers.check();
    tell("looking for what is left of answers, then comparing with what was acknowledged");
    const losses = [
      ...(await faults).complaints,
      ...unsettled.map((what) => `does not come to rest: ${what}`),
      ...misfed,
      ...(await checkLeftovers(world)),
      ...(await check(world, ledger, token)),
    ];
    return {
      writes: ledger.writes,
      repeated: ledger.repeated,
      faults: (await faults).counts,
      messages: world.topic.messages.length,
      notifications: world.webhook.taken.length,
      feedKills: followers.killed(),
      losses,
    };
  } finally {
    await world.close();
  }
}

async function check(world: World, ledger: Ledger, token: string): Promise<string[]> {
  const losses: string[] = [];
  for (const url of world.gateways()) {
    const client: ApiClient = createApiClient(url, token);
    losses.push(...(await checkCatalogues(client, ledger)));
    losses.push(...(await checkNotifications(client, ledger, world.webhook.taken)));
  }
  losses.push(...(await checkAccounts(world.gateways()[0] ?? "", ledger)));
  for (const { name, ownEnds, isRunning } of world.services) {
    if (ownEnds() > 0 || !isRunning()) losses.push(`${name} has ended by itself`);
  }
  await Promise.all(world.services.map(({ stop }) => stop()));
  const log = world.eventStore
    ? createEventStoreDbEventLog(world.eventStore.url)
    : await createPostgresEventLog(world.postgres.url());
  try {
    losses.push(...(await checkTopic(log, world.topic.messages)));
    losses.push(...(await checkChanges(log, await readChanges(world.nats.url))));
    losses.push(...(await checkReadModel(world.postgres.url(), log)));
  } finally {
    await log.close();
  }
  return losses;
}
