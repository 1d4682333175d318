import { Client, type ClientConfig } from "pg";
import { hostsOf, urlOfHost } from "./hosts.ts";

/** None of the servers takes changes: all are away, or standbys. */
export class NoPrimary extends Error {
  override readonly name = "NoPrimary";
}

export type ConnectionConfig = ClientConfig & { readonly connectionString: string };

const PROBE_TIMEOUT_MS = 3_000;

/** The driver's pool connects by callback. */
type Callback = (error: Error, client?: Client) => void;

type Report = { readonly parameterName: string; readonly parameterValue: string };

/**
 * A connection to that server of its address which takes changes, as `target_session_attrs=primary`
 * of PostgreSQL's own client. An address with one server is taken as it is.
 */
export class PrimaryClient extends Client {
  readonly #url: string;

  constructor(config: ConnectionConfig) {
    super({ ...config, connectionString: urlOfHost(config.connectionString, 0) });
    this.#url = config.connectionString;
  }

  override connect(): Promise<Client>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<Client> | undefined {
    const connecting = this.#connectToPrimary();
    if (callback === undefined) return connecting;
    connecting.then((client) => callback(null as never, client), callback);
    return undefined;
  }

  async #connectToPrimary(): Promise<Client> {
    const hosts = hostsOf(this.#url);
    if (hosts.length === 1) return super.connect();
    const { stream } = this.connection;
    const { host, port } = await findPrimary(this.#url).catch((error: unknown) => {
      // Nobody else closes a socket that was never connected.
      stream.destroy();
      throw error;
    });
    if (stream.destroyed) throw new NoPrimary("timeout expired while the primary was looked for");
    Object.assign(this, { host, port });
    const standby = watchStandby(this);
    await super.connect();
    // It was demoted meanwhile.
    if (standby()) {
      await this.end();
      throw new NoPrimary(`${host}:${port} is a standby`);
    }
    return this;
  }
}

/** Whether the server has said that it is a standby, which it does as it accepts a connection. */
function watchStandby(client: Client): () => boolean {
  let isStandby = false;
  client.connection.on("parameterStatus", ({ parameterName, parameterValue }: Report) => {
    if (parameterName === "in_hot_standby") isStandby = parameterValue === "on";
  });
  return () => isStandby;
}

/**
 * Asks all servers at once.
 * @throws NoPrimary
 */
async function findPrimary(url: string): Promise<{ host: string; port: number }> {
  const hosts = hostsOf(url);
  try {
    return await Promise.any(
      hosts.map(async (each, i) => {
        await requirePrimary(urlOfHost(url, i));
        return each;
      }),
    );
  } catch (error) {
    const reasons = error instanceof AggregateError ? error.errors : [error];
    const sentences = hosts.map(({ host, port }, i) => `${host}:${port}: ${textOf(reasons[i])}`);
    throw new NoPrimary(`no server takes changes (${sentences.join("; ")})`, { cause: error });
  }
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError) return textOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** @throws NoPrimary when the server is a standby; the driver's errors */
export async function requirePrimary(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: PROBE_TIMEOUT_MS });
  client.on("error", () => undefined);
  const standby = watchStandby(client);
  await client.connect();
  await client.end();
  if (standby()) throw new NoPrimary("it is a standby, which takes no changes");
}
