import { setTimeout } from "node:timers/promises";
import { openHttpConnection } from "../http-connection.ts";

export type Asked = { readonly body: Buffer; readonly milliseconds: number };

/** One connection to the service, kept from one question to the next. */
export type Asking = {
  /** The answer, and how long it took to its last byte. */
  readonly ask: (path: string) => Promise<Asked>;
  readonly close: () => void;
};

/**
 * A service that sheds requests, as it may on a busy machine, is asked again when it says: the time
 * is that of the answer alone.
 */
export function openAsking(url: string, token?: string): Asking {
  const connection = openHttpConnection(url);
  const credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };

  async function ask(path: string): Promise<Asked> {
    const started = performance.now();
    const { status, header, body } = await connection.ask("GET", path, credentials);
    const milliseconds = performance.now() - started;
    if (status === 200) return { body, milliseconds };
    if (status !== 503) throw new Error(`${path} answered ${status}`);
    await setTimeout(1_000 * Number(header("retry-after") ?? 1));
    return ask(path);
  }

  return { ask, close: connection.close };
}
