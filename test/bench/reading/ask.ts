import { Agent, get } from "node:http";

/** A connection to the service that is kept from one question to the next. */
export type Asking = {
  /** The bytes of the answer. */
  readonly ask: (path: string) => Promise<Buffer>;
  readonly close: () => void;
};

export function openAsking(url: string, token: string): Asking {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${token}` };

  function ask(path: string): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    get(new URL(path, url), { agent, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.once("error", reject);
      response.once("end", () => {
        if (response.statusCode === 200) resolve(Buffer.concat(pieces));
        else reject(new Error(`${path} answered ${response.statusCode}`));
      });
    }).once("error", reject);
    return promise;
  }

  return { ask, close: () => agent.destroy() };
}
