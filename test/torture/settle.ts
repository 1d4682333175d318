import { setTimeout as delay } from "node:timers/promises";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { createApiClient } from "../support/api-client.ts";
import type { World } from "./world.ts";

const POLL_MS = 250;
const DEADLINE_MS = 180_000;

/** What a gateway's readiness says when nothing is left to do. */
const AT_REST: Readonly<Record<string, RegExp>> = {
  projections: /^catalogues: up to date; users: up to date$/,
  notifications: /\b0 pending\b/,
  changes: /up to date$/,
  analytics: /up to date$/,
};

/** Waits until the service, left alone, has done all that it has to do. @returns what it has not */
export async function settle(world: World): Promise<string[]> {
  const deadline = Date.now() + DEADLINE_MS;
  while (true) {
    const open = await unfinished(world).catch((error: unknown) => [String(error)]);
    if (open.length === 0 || Date.now() > deadline) return open;
    await delay(POLL_MS);
  }
}

async function unfinished({ gateways }: World): Promise<string[]> {
  const found: string[] = [];
  for (const url of gateways()) {
    const client = createApiClient(url);
    const { body } = await client.get<ReadinessReport>("/api/ready");
    if (body.status !== "ready") found.push(`${url} is not ready`);
    for (const { name, message = "" } of body.checks) {
      if (AT_REST[name]?.test(message) === false) found.push(`${name}: ${message}`);
    }
    const { body: list } = await client.get<{ total?: number }>("/api/catalogues?pageSize=1");
    if (list === undefined) found.push("no list of catalogues");
  }
  if (found.length === 0 && gateways().length === 0) found.push("no gateway runs");
  return found;
}
