import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { AgencyTimeout } from "#infra/agency/http/errors.ts";
import { createExchange } from "#infra/agency/http/exchange.ts";

const SECOND = 1_000;
const TIMEOUT = 30 * SECOND;

/** An agency whose answer is written by the test, which also sets the time. */
async function useWrittenAnswer() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const exchange = createExchange({ name: "GeoNet", userAgent: "test", timeoutMs: TIMEOUT });
  onTestFinished(exchange.close);
  const answer = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200);
    response.flushHeaders();
    answer.resolve(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { exchange, url: new URL(`http://127.0.0.1:${port}/`), answer: answer.promise };
}

test("an answer may take 30 times as long as the agency may be silent, and no longer", async () => {
  const { exchange, url, answer } = await useWrittenAnswer();
  let arrived = Promise.withResolvers<void>();
  const taking = exchange.get(url, new AbortController().signal, async ({ body }) => {
    for await (const _ of body) arrived.resolve();
  });
  const ended = taking.then(
    () => "an answer",
    (error: unknown) => error,
  );
  const response = await answer;
  const byteThen = async (ms: number) => {
    arrived = Promise.withResolvers();
    response.write("x");
    await arrived.promise;
    vi.advanceTimersByTime(ms);
  };
  for (let after = 0; after < 875; after += 25) await byteThen(25 * SECOND);
  await byteThen(24 * SECOND);
  await byteThen(SECOND);
  expect(await ended).toEqual(new AgencyTimeout("GeoNet took more than 900 s for an answer"));
});

test("an agency that is silent is given up after its time-out", async () => {
  const { exchange, url, answer } = await useWrittenAnswer();
  const taking = exchange.get(url, new AbortController().signal, ({ body }) => buffer(body));
  await answer;
  vi.advanceTimersByTime(TIMEOUT);
  await expect(taking).rejects.toEqual(new AgencyTimeout("GeoNet sent nothing for 30 s"));
});
