import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import { type ApiClient, createApiClient, sessionToken, signIn } from "../support/api-client.ts";
import { createPreparedDataDir } from "../support/prepared-data-dir.ts";
import { signInOf, useService } from "../support/service.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";

const ADMIN = { email: "crash@example.org", password: "only for the crash test" };
/** Until what a killed process has left open is gone. */
export const SWEPT = { timeout: 60_000 };

type Variables = () => Readonly<Record<string, string>>;

/** A whole service with a DATA_DIR of the file alone, which is killed and started again. */
export function useKilledService(variables: Variables = () => ({})) {
  let directory: { path: string; remove: () => Promise<void> };
  let service: ServiceProcess;
  let client: ApiClient;
  async function start(): Promise<void> {
    const own = { ...unlimitedFor(ADMIN), DATA_DIR: directory.path, ...variables() };
    service = await startServiceProcess(own);
    client = await signIn(service.url, ADMIN);
  }
  beforeAll(async () => {
    directory = await createPreparedDataDir();
    await start();
  });
  afterAll(async () => {
    await service.stop();
    await directory.remove();
  });
  return {
    /** Of the process that runs. */
    get client() {
      return client;
    },
    get dataDir() {
      return directory.path;
    },
    start,
    stop: () => service.stop(),
    /** @param withDatabase PostgreSQL too */
    async kill(withDatabase = false): Promise<void> {
      if (withDatabase) {
        const pidFile = await readFile(join(directory.path, "postgres", "postmaster.pid"), "utf8");
        process.kill(Number(pidFile.split("\n")[0]), "SIGKILL");
      }
      await service.kill();
    },
  };
}

/** A service that stays, and copies of it with the role of a gateway, which are killed. */
export function useKilledCopies(variables: Variables = () => ({})) {
  const shared = () => ({ JWT_SECRET: "a secret that two copies of it share", ...variables() });
  const staying = useService(shared);
  return {
    get databaseUrl() {
      return staying.databaseUrl;
    },
    /** A client of the one that stays, or of the copy at an address. */
    async clientOf(url = staying.url): Promise<ApiClient> {
      return createApiClient(url, await sessionToken(staying.url, signInOf("admin")));
    },
    startCopy: () =>
      startServiceProcess({
        ...shared(),
        DATABASE_URL: staying.databaseUrl,
        PUBLIC_BASE_URL: "http://catalogues.example.org",
        ROLES: "gateway",
        RATE_LIMIT_WRITE: "0",
      }),
  };
}

export async function catalogueOf(client: ApiClient, id: string): Promise<Catalogue> {
  return (await client.get<Catalogue>(`/api/catalogues/${id}`)).body;
}

/** All catalogues, once no revision of a killed process is left open. */
export async function settledCatalogues(client: ApiClient): Promise<readonly Catalogue[]> {
  let there: Catalogue[] = [];
  const read = async () => {
    there = [];
    for (let page = 1; there.length === 100 * (page - 1); page += 1) {
      const path = `/api/catalogues?pageSize=100&page=${page}`;
      there.push(...(await client.get<{ catalogues: Catalogue[] }>(path)).body.catalogues);
    }
    return there.filter(({ status }) => status !== "active").map(({ status }) => status);
  };
  await expect.poll(read, SWEPT).toEqual([]);
  return there;
}
