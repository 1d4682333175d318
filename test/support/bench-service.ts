import { join } from "node:path";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import type { ExportFormat } from "#contracts/http/exports.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { loadConfig } from "#infra/config/config.ts";
import { startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { createLifecycle } from "#infra/process/lifecycle.ts";
import { type ApiClient, createApiClient, sessionToken, signIn } from "./api-client.ts";
import { catalogueBody } from "./generate-catalogue.ts";
import { silentLogger } from "./logger.ts";
import { startServiceProcess } from "./service-process.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";
import { unlimitedFor } from "./unlimited-for.ts";

const ADMIN = { email: "bench@example.org", password: "only for the benchmark" };

/** What the cases measure: the service as its own process, and its database. */
export type BenchService = {
  readonly url: string;
  readonly pid: number;
  /** Address of an account. */
  readonly knownEmail: string;
  readonly client: ApiClient;
  /** Of the client's session. */
  readonly token: string;
  readonly shared: SharedCatalogues;
  readonly database: Client;
  readonly databaseUrl: string;
  /** Where it writes parts. */
  readonly partsDir: string;
  /** Another process of the service on the same database, which has done nothing else. */
  readonly withAnother: <T>(
    use: (client: ApiClient, pid: number, url: string) => Promise<T>,
  ) => Promise<T>;
  readonly close: () => Promise<void>;
};

/**
 * The service in a process of its own on a fresh embedded PostgreSQL, with its usual durability.
 * @param further variables beside the usual ones
 */
export async function startBenchService(
  further: Readonly<Record<string, string>> = {},
): Promise<BenchService> {
  const logger = silentLogger();
  const lifecycle = createLifecycle({ log: logger, timeoutMs: 60_000 });
  const directory = await createTemporaryDirectory();
  lifecycle.onClose("directory", directory.remove);
  const postgres = await startEmbeddedPostgres({ dataDir: directory.path, log: logger });
  lifecycle.onClose("postgres", postgres.stop);
  const { maxBodyBytes } = loadConfig({});
  const variables = {
    DATABASE_URL: postgres.url,
    JWT_SECRET: "a secret of the benchmark, 32 long..",
    PUBLIC_BASE_URL: "http://127.0.0.1",
    // So that clients of one machine can come from several networks.
    TRUST_PROXY: "true",
    PARTS_DIR: join(directory.path, "parts"),
    ...unlimitedFor(ADMIN),
    MAX_BODY_MB: String((4 * maxBodyBytes) / 1024 ** 2),
    ...further,
  };
  const service = await startServiceProcess(variables);
  lifecycle.onClose("service", async () => {
    await service.stop();
  });
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  lifecycle.onClose("connection", () => database.end());
  const token = await sessionToken(service.url, ADMIN);
  const client = createApiClient(service.url, token);
  return {
    url: service.url,
    pid: service.pid,
    knownEmail: ADMIN.email,
    client,
    token,
    shared: createSharedCatalogues(client, database),
    database,
    databaseUrl: postgres.url,
    partsDir: variables.PARTS_DIR,
    withAnother: async (use) => {
      const another = await startServiceProcess(variables);
      try {
        return await use(await signIn(another.url, ADMIN), another.pid, another.url);
      } finally {
        await another.stop();
      }
    },
    close: async () => {
      await lifecycle.stop();
    },
  };
}

export type SharedCatalogue = {
  readonly id: string;
  /** The read model's. */
  readonly key: number;
  readonly version: number;
  /** How many it has. */
  readonly events: number;
};

/**
 * Generated catalogues that several cases read and none changes, each made when it is first asked
 * for. Their rows stay for the rest of the run: cases that count rows or fill tables come before.
 */
type SharedCatalogues = { readonly of: (events: number) => Promise<SharedCatalogue> };

const Row = z.tuple([z.object({ key: z.int(), version: z.int() })]);

function createSharedCatalogues(client: ApiClient, database: Client): SharedCatalogues {
  const made = new Map<number, Promise<SharedCatalogue>>();

  async function make(events: number): Promise<SharedCatalogue> {
    const id = await catalogueOf(client, events);
    // Else autovacuum would do it at some time during a case.
    await database.query("vacuum (analyze) read_model.seismic_events");
    const { rows } = await database.query(
      "select key, version from read_model.catalogues where id = $1",
      [id],
    );
    const [{ key, version }] = Row.parse(rows);
    return { id, key, version, events };
  }

  return {
    of(events) {
      const present = made.get(events) ?? make(events);
      made.set(events, present);
      return present;
    },
  };
}

const PER_REQUEST = 500_000;

/**
 * A generated catalogue of `count` events, made in as many requests as it needs; its id.
 * @param into a catalogue that takes the events instead of a new one
 */
export function catalogueOf(client: ApiClient, count: number, into?: string): Promise<string> {
  return createBy(client, bodiesOf(count), into);
}

function* bodiesOf(count: number): Generator<Buffer> {
  for (let from = 0; from < count; from += PER_REQUEST) {
    const body = catalogueBody(`bench ${count}`, from + 1, Math.min(PER_REQUEST, count - from));
    yield Buffer.from(body.replaceAll('"source_id":"', `"source_id":"${from}-`));
  }
}

/** A catalogue of the events of all bodies, each sent in a request of its own; its id. */
export async function createBy(
  client: ApiClient,
  bodies: Iterable<object>,
  into = "",
): Promise<string> {
  let id = into;
  for (const body of bodies) {
    // What was made meanwhile kept this thread busy: connections that have ended are heard of first.
    await setImmediate();
    const path = id === "" ? "/api/catalogues" : `/api/catalogues/${id}/events`;
    const answer = await client.send<{ id: string }>("POST", path, body);
    if (answer.status >= 300) throw new Error(`creating answered ${JSON.stringify(answer.body)}`);
    if (id === "") ({ id } = answer.body);
  }
  return id;
}

export async function remove(client: ApiClient, id: string): Promise<void> {
  await client.send("DELETE", `/api/catalogues/${id}`);
}

/** The result of work in the background, once it is there. */
export async function resultOf<T>(client: ApiClient, path: string, form: object): Promise<T> {
  const prefer = { prefer: "respond-async" };
  const started = await client.send<{ operationId: string }>("POST", path, form, prefer);
  if (started.status !== 202) throw new Error(`${path} answered ${started.status}`);
  for (;;) {
    await delay(200);
    const address = `/api/operations/${started.body.operationId}`;
    const { operation } = (await client.get<{ operation: Job }>(address)).body;
    if (operation.status === "succeeded") return operation.result as T;
    if (operation.status !== "running") throw new Error(JSON.stringify(operation));
  }
}

/** Reads an answer, as it is, to its end, keeping nothing; its bytes. */
export async function drain(
  client: Pick<ApiClient, "stream">,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { status, body } = await client.stream(path, { "accept-encoding": "identity", ...headers });
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  let bytes = 0;
  for await (const piece of body ?? []) bytes += piece.length;
  return bytes;
}

/**
 * Exports a catalogue and reads it to the end, keeping nothing. It asks for the file as it is: its
 * yardsticks are not compressed either.
 * @returns its bytes
 */
export async function exportAll(
  client: ApiClient,
  id: string,
  format: ExportFormat,
  count: number,
): Promise<number> {
  const response = await client.stream(`/api/catalogues/${id}/export?format=${format}`, {
    "accept-encoding": "identity",
  });
  const announced = Number(response.headers.get("x-export-event-count"));
  if (response.status !== 200 || announced !== count) {
    throw new Error(`exporting answered ${response.status}, ${announced} events of ${count}`);
  }
  let bytes = 0;
  for await (const piece of response.body ?? []) bytes += piece.length;
  if (bytes < count) throw new Error(`only ${bytes} bytes came`);
  return bytes;
}
