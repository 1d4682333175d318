import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type ApiAnswer, createApiClient } from "../support/api-client.ts";
import type { Ledger } from "./ledger.ts";

export type Call = {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** Of the user who calls; a guest's when absent. */
  readonly token?: string;
};

export type Settled<T> = ApiAnswer<T> & {
  /** Whether an earlier try may have had its effect already. */
  readonly repeated: boolean;
};

/** Sends a write until it is answered, whatever happens to the service meanwhile. */
export type PersistentClient = <T = unknown>(call: Call) => Promise<Settled<T>>;

export type PersistentClientDeps = {
  /** URLs of the gateways that may be asked now; empty while none runs. */
  readonly gateways: () => readonly string[];
  readonly random: () => number;
  readonly ledger: Ledger;
};

const WAIT_MS = 200;
const REQUEST_TIMEOUT_MS = 90_000;

/**
 * A request that is cut off, or that the service could not finish (5xx), is sent again under the
 * same `Idempotency-Key`, to any gateway, and so is one that another change of the catalogue was in the way of (409 with
 * `Retry-After`). Any other refusal is final for its key: the same request begins anew under another one.
 */
export function createPersistentClient(deps: PersistentClientDeps): PersistentClient {
  const { gateways, random, ledger } = deps;
  return async <T>(call: Call): Promise<Settled<T>> => {
    let key = randomUUID();
    for (let tries = 0; ; tries += 1) {
      const urls = gateways();
      const url = urls[Math.floor(random() * urls.length)];
      const answer = url === undefined ? null : await once<T>(url, call, key);
      if (answer !== null && answer.status < 500 && answer.status !== 409) {
        ledger.repeated += tries;
        return { ...answer, repeated: tries > 0 };
      }
      if (answer?.status === 409) {
        if (isFinal(call)) return { ...answer, repeated: tries > 0 };
        if (!answer.headers.has("retry-after")) key = randomUUID();
      }
      await delay(WAIT_MS);
    }
  };
}

/** Of an account, 409 says that it is there: the first try has made it. */
function isFinal({ path }: Call): boolean {
  return path === "/api/auth/register" || path === "/api/role-requests";
}

async function once<T>(url: string, call: Call, key: string): Promise<ApiAnswer<T> | null> {
  const { method, path, body, token } = call;
  const client = createApiClient(url, token);
  const timer = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const timedOut = new Promise<null>((resolve) =>
    timer.addEventListener("abort", () => resolve(null), { once: true }),
  );
  const answer = client.send<T>(method, path, body, { "idempotency-key": key }).catch(() => null);
  return Promise.race([answer, timedOut]);
}
