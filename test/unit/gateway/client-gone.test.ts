import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Call } from "#services/gateway/handler.ts";
import { buildBareApp } from "../../support/bare-app.ts";

type Health = Call<typeof import("#contracts/http/service.ts").getHealth>;

/** Asks for /api/health of an application whose handler does what is given. */
async function ask(work: (call: Health) => Promise<void>) {
  const app = await buildBareApp({
    getHealth: async (call) => {
      await work(call);
      return { body: { status: "ok" } };
    },
  });
  onTestFinished(() => app.close());
  const { port, hostname } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connect(Number(port), hostname);
  socket.write("GET /api/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  return socket;
}

test("a handler hears that its client leaves", async () => {
  const [began, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
  const socket = await ask(async ({ clientGone }) => {
    began.resolve();
    await once(clientGone, "abort");
    heard.resolve(clientGone.reason);
  });
  await began.promise;
  socket.destroy();
  expect(String(await heard.promise)).toContain("The client left");
});

test("a client that has its answer has not left", async () => {
  const signals: AbortSignal[] = [];
  const socket = await ask(async ({ clientGone }) => void signals.push(clientGone));
  await socket.resume().toArray();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});
