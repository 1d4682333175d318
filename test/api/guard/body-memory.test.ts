import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { buildBareApp } from "../../support/bare-app.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MIB = 1024 * 1024;
/** As many as whoever has not signed in may send. */
const BYTES = 60_000;
const HEAD =
  "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
const BYTE_BY_BYTE = "1\r\n \r\n".repeat(BYTES);

let app: FastifyInstance;
beforeAll(async () => {
  app = await buildBareApp({ login: async () => ({ body: {} as never }) });
  await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => app.close());

/** What is in use, MiB. */
function used(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

test("a body that comes byte by byte takes little more memory than its bytes", async () => {
  const { port } = app.server.address() as AddressInfo;
  const accepted = once(app.server, "connection") as Promise<[Socket]>;
  const client = connect(port, "127.0.0.1");
  const [served] = await accepted;
  const before = used();
  const sent = Buffer.from(HEAD + BYTE_BY_BYTE);
  client.write(sent);
  await vi.waitFor(() => expect(served.bytesRead).toBe(sent.length), { timeout: 60_000 });
  const taken = used() - before;
  client.destroy();
  // What the test itself sent is the most of it.
  expect(taken).toBeLessThan(5);
});
