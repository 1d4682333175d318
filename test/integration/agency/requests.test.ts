import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  AgencyTimeout,
  AgencyUnavailable,
  CircuitOpen,
  createCircuitBreaker,
  createExchange,
  isAgencyFailure,
} from "#infra/agency/http/exchange.ts";
import { type Fault, nameOf } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { XML_HEAD } from "../../support/agency/geonet-xml.ts";
import { ALL, fetchAll, useAgency, useClient } from "./use-agency.ts";

function useBreaker(failures = 5) {
  const breaker = createCircuitBreaker({
    name: "Test agency",
    isFailure: isAgencyFailure,
    failures,
  });
  onTestFinished(breaker.close);
  return breaker;
}

test("a request names the service and holds nothing but what was asked for", async () => {
  const agency = await useAgency();
  const { client } = useClient(agency.url);
  const hour = { startTime: "2024-05-07T08:00:00.5Z", endTime: "2024-05-07T09:00:00Z" };
  await fetchAll(client, { ...ALL, ...hour, detail: "summary" });
  await fetchAll(client, { ...ALL, ...hour, minMagnitude: 10, minDepth: 0, maxLatitude: 90 });
  const [plain, bounded] = agency.requests;
  expect(plain?.parameters).toEqual({
    starttime: "2024-05-07T07:59:59",
    endtime: "2024-05-07T09:00:02",
    format: "text",
  });
  expect(plain?.headers["user-agent"]).toBe("earthquake-catalogue-service/test");
  expect(bounded?.parameters).toEqual({
    starttime: "2024-05-07T07:59:59",
    endtime: "2024-05-07T09:00:02",
    minmagnitude: "9.94",
    mindepth: "-1",
    format: "xml",
  });
});

test("all fetches of a client together have two requests open at a time", async () => {
  const agency = await useAgency({ events: servedEvents(8, 400), cap: 40 });
  let open = 0;
  let peak = 0;
  const run = async <T>(request: () => Promise<T>): Promise<T> => {
    open += 1;
    peak = Math.max(peak, open);
    return request().finally(() => {
      open -= 1;
    });
  };
  const { client } = useClient(agency.url, { cap: 40, breaker: { run } });
  const fetched = await Promise.all(
    Array.from({ length: 4 }, () => fetchAll(client, { ...ALL, detail: "summary" })),
  );
  for (const { events } of fetched) expect(events).toHaveLength(400);
  expect(peak).toBe(2);
});

test("what an answer is, is told by its content, whatever its type says and after an empty line too", async () => {
  for (const [detail, contentType, xmlHead] of [
    ["full", "text/xml"],
    ["full", "text/plain"],
    ["full", "application/octet-stream"],
    ["full", "text/html"],
    ["full", "application/xml", `\n${XML_HEAD}`],
    ["summary", "text/html; charset=utf-8"],
    ["summary", "application/octet-stream"],
    ["summary", "application/xml"],
  ] as const) {
    const head = xmlHead === undefined ? {} : { xmlHead };
    const agency = await useAgency({ events: servedEvents(8, 100), contentType, ...head });
    const { client, waits } = useClient(agency.url);
    const { events } = await fetchAll(client, { ...ALL, detail });
    expect([events.length, waits], `${detail} ${contentType}`).toEqual([100, []]);
  }
});

test("a compressed answer that is cut off is asked for again", async () => {
  const agency = await useAgency({ events: servedEvents(8, 200), gzip: true });
  agency.fail((_, attempt) => (attempt === 0 ? { kind: "reset" } : null));
  const { client } = useClient(agency.url);
  expect((await fetchAll(client, ALL)).events).toHaveLength(200);
});

test("a connection that the agency closes between two requests is no failure", async () => {
  const agency = await useAgency({ events: servedEvents(8, 200), cap: 20 });
  agency.fail(() => ({ kind: "dropped" }));
  const breaker = useBreaker(1);
  const { client, waits } = useClient(agency.url, { cap: 20, breaker });
  const { events, batches } = await fetchAll(client, ALL);
  expect(events).toHaveLength(200);
  expect(agency.requests.length).toBeGreaterThan(batches.length);
  expect([breaker.state(), waits]).toEqual(["CLOSED", []]);
});

test("five failures open the circuit, and an open circuit is told at once", async () => {
  const agency = await useAgency();
  agency.fail(() => ({ kind: "status", status: 500 }));
  const breaker = useBreaker();
  const { client, waits } = useClient(agency.url, { breaker });
  await expect(fetchAll(client, ALL)).rejects.toThrow(AgencyUnavailable);
  expect(breaker.state()).toBe("CLOSED");
  await expect(fetchAll(client, ALL)).rejects.toThrow(CircuitOpen);
  expect(breaker.state()).toBe("OPEN");
  expect(agency.requests).toHaveLength(5);
  await expect(fetchAll(client, ALL)).rejects.toThrow(CircuitOpen);
  expect(agency.requests).toHaveLength(5);
  expect(waits).toHaveLength(4);
});

test("faults are failures to the circuit, refusals are none", async () => {
  const failures: readonly Fault[] = [
    { kind: "hang" },
    { kind: "reset" },
    { kind: "shortened" },
    { kind: "status", status: 503 },
  ];
  const refusals = [204, 400, 403, 404, 413, 429].map(
    (status): Fault => ({ kind: "status", status }),
  );
  for (const fault of [...failures, ...refusals]) {
    const agency = await useAgency({ events: servedEvents(8, 100) });
    agency.fail(() => fault);
    const breaker = useBreaker(1);
    const { client } = useClient(agency.url, { breaker, retries: 0, timeoutMs: 250 });
    await fetchAll(client, ALL).catch(() => {});
    const expected = failures.includes(fault) ? "OPEN" : "CLOSED";
    expect(breaker.state(), nameOf(fault)).toBe(expected);
  }
});

test("an abort ends the requests that run, and is no failure to the circuit", async () => {
  const agency = await useAgency();
  const abort = new AbortController();
  const reason = new Error("cancelled");
  agency.fail(() => {
    abort.abort(reason);
    return { kind: "hang" };
  });
  const breaker = useBreaker(1);
  const { client } = useClient(agency.url, { breaker });
  await expect(fetchAll(client, ALL, abort.signal)).rejects.toBe(reason);
  expect(breaker.state()).toBe("CLOSED");
});

test("an abort ends a wait", async () => {
  const agency = await useAgency();
  const abort = new AbortController();
  agency.fail(() => ({ kind: "status", status: 503, retryAfter: "100" }));
  const { client } = useClient(agency.url, {
    sleep: async (_, signal) => {
      abort.abort(new Error("cancelled"));
      expect(signal.aborted).toBe(true);
    },
  });
  await expect(fetchAll(client, ALL, abort.signal)).rejects.toThrow("cancelled");
  expect(agency.requests).toHaveLength(1);
});

test("leaving the loop ends the requests that run", async () => {
  const agency = await useAgency({ events: servedEvents(8, 1_000) });
  let requests = 0;
  // The first two windows are asked for alone, the fourth beside the third.
  agency.fail(() => (++requests > 3 ? { kind: "hang" } : null));
  const { client } = useClient(agency.url);
  const signal = new AbortController().signal;
  let batches = 0;
  for await (const { progress } of client.fetchEvents(ALL, { signal })) {
    expect(progress.done).toBe(++batches);
    if (batches === 3) break;
  }
  await vi.waitFor(() => expect(agency.open()).toBe(0), { timeout: 20_000 });
});

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
