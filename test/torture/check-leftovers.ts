import { setTimeout as delay } from "node:timers/promises";
import { rawGet } from "../api/support/raw-request.ts";
import { clientsAt, openResources, spoolsAmong } from "../support/open-resources.ts";
import type { ServiceProcess } from "../support/service-process.ts";
import type { World } from "./world.ts";

const POLL_MS = 500;
/** Connections of well-behaved clients are kept for a minute. */
const DEADLINE_MS = 150_000;

/** Metrics of what answers hold; all are zero where nobody asks. */
const HELD =
  /^(?:database_pool_connections\{pool="(?:export|pages|retries)",state="active"|answers_|answer_bytes_)/;
const CONNECTIONS = /^database_pool_connections\{\S+ (\d+)$/gm;
/** That are in no pool: the watch, the listener, presence, leases, and what the log is subscribed with. */
const OTHER_CONNECTIONS = 8;

/** Once nobody asks any more, a gateway has given back all that its answers held. @returns what is wrong */
export async function checkLeftovers({ services, postgres }: World): Promise<string[]> {
  const databasePort = postgres.relay.port;
  const wrong: string[] = [];
  for (const { name, process } of services) {
    const gateway = process();
    if (!gateway?.url) continue;
    const deadline = Date.now() + DEADLINE_MS;
    let left = await leftovers(gateway, databasePort);
    while (left.length > 0 && Date.now() < deadline) {
      await delay(POLL_MS);
      left = await leftovers(gateway, databasePort);
    }
    wrong.push(...left.map((what) => `${name} has left ${what}`));
  }
  return wrong;
}

async function leftovers({ pid, url }: ServiceProcess, databasePort: number): Promise<string[]> {
  const { text } = await rawGet(url, "/metrics");
  const open = await openResources(pid);
  const found = text.split("\n").filter((line) => HELD.test(line) && !line.endsWith(" 0"));
  const clients = clientsAt(open, Number(new URL(url).port));
  if (clients.length > 0) found.push(`${clients.length} connections of clients`);
  if (spoolsAmong(open) > 0) found.push(`${spoolsAmong(open)} spools`);
  if (open.files.length > 0) found.push(`files: ${open.files.join(", ")}`);
  const toDatabase = open.connections.filter(({ remote }) => remote === databasePort).length;
  const pooled = [...text.matchAll(CONNECTIONS)].reduce((sum, [, count]) => sum + Number(count), 0);
  if (toDatabase > pooled + OTHER_CONNECTIONS) {
    found.push(`${toDatabase} connections to the database, of which pools know ${pooled}`);
  }
  return found;
}
