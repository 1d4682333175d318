import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServedDialect } from "../../support/agency/habits.ts";
import type { ApiClient } from "../../support/api-client.ts";
import type { AgencyChange } from "./agency-main.ts";

const MAIN = fileURLToPath(new URL("./agency-main.ts", import.meta.url));
const NOTHING: AgencyChange = { changed: 0, withdrawn: 0 };

/** An agency in a process of its own, which the service has among its agencies. */
export type ScheduledAgency = {
  readonly id: string;
  readonly change: (change: AgencyChange) => Promise<number>;
  /** Requests since the last call or change. */
  readonly requests: () => Promise<number>;
  readonly close: () => Promise<void>;
};

export async function startScheduledAgency(
  client: ApiClient,
  dialect: ServedDialect,
  events: number,
): Promise<ScheduledAgency> {
  const child = fork(MAIN, [dialect, String(events)]);
  const closed = once(child, "close");
  const [url] = await once(child, "message");
  const id = `bench-${randomUUID()}`;
  const { status, body } = await client.send("POST", "/api/agencies", {
    ...{ id, name: id, dialect, url },
  });
  if (status !== 201) throw new Error(`an agency was answered ${JSON.stringify(body)}`);
  const change = async (what: AgencyChange): Promise<number> => {
    child.send(what);
    const [requests] = await once(child, "message");
    return requests;
  };
  return {
    id,
    change,
    requests: () => change(NOTHING),
    close: async () => {
      child.kill("SIGTERM");
      await closed;
    },
  };
}
