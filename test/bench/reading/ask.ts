import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";

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
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };

  async function ask(path: string): Promise<Asked> {
    const started = performance.now();
    const response = await responseTo(new URL(path, url));
    const pieces: Buffer[] = await response.toArray();
    const milliseconds = performance.now() - started;
    if (response.statusCode === 200) return { body: Buffer.concat(pieces), milliseconds };
    if (response.statusCode !== 503) throw new Error(`${path} answered ${response.statusCode}`);
    await setTimeout(1_000 * Number(response.headers["retry-after"] ?? 1));
    return ask(path);
  }

  function responseTo(target: URL): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    get(target, { agent, headers }, resolve).once("error", reject);
    return promise;
  }

  return { ask, close: () => agent.destroy() };
}
