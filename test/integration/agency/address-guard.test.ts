import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import {
  AddressRefused,
  type AddressRules,
  createAddressGuard,
  type Resolve,
} from "#infra/agency/http/address-guard.ts";
import {
  AgencyError,
  AgencyUnavailable,
  createExchange,
  type HttpAnswer,
  validatorsOf,
} from "#infra/agency/http/exchange.ts";

const CLOSED: AddressRules = { isOpen: false, ports: [80, 443] };
const OPEN: AddressRules = { isOpen: true, ports: [80, 443] };
const REFUSED = "leads to this machine, to a network near it or to no public address";

const address = (ip: string) => ({ address: ip, family: ip.includes(":") ? 6 : 4 });

/** A resolver of ours: each look-up of a name takes the next answer, the last one again and again. */
function resolver(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve: Resolve = async (name) => {
    asked.push(name);
    return (answers[Math.min(asked.length, answers.length) - 1] ?? []).map(address);
  };
  return { asked, resolve };
}

async function useServer(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function useExchange(rules: AddressRules | null, resolve?: Resolve) {
  const guard = rules && createAddressGuard(rules, resolve);
  const exchange = createExchange({ name: "EMSC", userAgent: "test", timeoutMs: 60_000, guard });
  onTestFinished(exchange.close);
  const { signal } = new AbortController();
  const textOf = async ({ status, headers, body }: HttpAnswer) => ({
    status,
    location: headers.location,
    text: (await buffer(body)).toString(),
  });
  return (url: string) => exchange.get(new URL(url), signal, textOf);
}

test("a name that leads inward when it is connected to is refused, though it did not when it was registered", async () => {
  const requests: IncomingMessage[] = [];
  const port = await useServer((request, response) => {
    requests.push(request);
    response.end("reached");
  });
  const { asked, resolve } = resolver(["192.31.7.1"], ["127.0.0.1"]);
  const rules = { isOpen: false, ports: [port] };
  const url = `http://agency.example:${port}/`;
  await createAddressGuard(rules, resolve).requireResolved(new URL(url));
  await expect(useExchange(rules, resolve)(url)).rejects.toThrow(
    new AgencyError(`the address of EMSC ${REFUSED}`),
  );
  expect(asked).toEqual(["agency.example", "agency.example"]);
  expect(requests).toHaveLength(0);
});

test("a connection goes to the address that was looked up for it, once", async () => {
  const port = await useServer((_, response) => response.end("reached"));
  const { asked, resolve } = resolver(["127.0.0.1"], ["192.0.2.1"]);
  const get = useExchange({ ...OPEN, ports: [port] }, resolve);
  expect(await get(`http://agency.example:${port}/`)).toMatchObject({ text: "reached" });
  // The second request has the connection of the first.
  expect(await get(`http://agency.example:${port}/`)).toMatchObject({ text: "reached" });
  expect(asked).toEqual(["agency.example"]);
});

test("one inward address among several is enough to refuse a name", async () => {
  const { resolve } = resolver(["8.8.8.8", "::1"]);
  const get = useExchange(CLOSED, resolve);
  await expect(get("http://agency.example/")).rejects.toThrow(AgencyError);
});

test("a connection of one family gets addresses of that family alone", async () => {
  const { lookup } = createAddressGuard(CLOSED, resolver(["8.8.8.8", "2606:4700::1"]).resolve);
  const lookedUp = (options: Parameters<typeof lookup>[1]) =>
    new Promise((resolve) => {
      lookup("agency.example", options, (...answer) => resolve(answer));
    });
  expect(await lookedUp({ family: 6 })).toEqual([null, "2606:4700::1", 6]);
  expect(await lookedUp({ all: true })).toEqual([
    null,
    [address("8.8.8.8"), address("2606:4700::1")],
  ]);
});

test("a name without an address is told as one that cannot be resolved", async () => {
  const get = useExchange(CLOSED, resolver([]).resolve);
  await expect(get("http://agency.example/")).rejects.toThrow(
    new AgencyUnavailable("the connection to EMSC failed: its name cannot be resolved"),
  );
});

test("addresses inward and other ports are refused before anything is sent or resolved, others let through", async () => {
  const { asked, resolve } = resolver(["8.8.8.8"]);
  const guard = createAddressGuard(CLOSED, resolve);
  for (const url of [
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest/",
    "ws://192.168.1.1/",
  ]) {
    expect(() => guard.require(new URL(url)), url).toThrow(new AddressRefused(REFUSED));
    await expect(guard.requireResolved(new URL(url)), url).rejects.toThrow(AddressRefused);
  }
  expect(asked).toEqual([]);
  for (const url of ["http://8.8.8.8:8080/", "https://8.8.8.8:22/", "wss://8.8.8.8:8443/"]) {
    expect(() => guard.require(new URL(url)), url).toThrow("must have one of the ports 80, 443");
  }
  for (const url of [
    "http://8.8.8.8/",
    "https://8.8.8.8/",
    "wss://8.8.8.8/",
    "http://8.8.8.8:443/",
  ]) {
    expect(() => guard.require(new URL(url)), url).not.toThrow();
  }
});

test("a name that does not resolve is registered", async () => {
  const guard = createAddressGuard(CLOSED, async () => {
    throw new Error("ENOTFOUND");
  });
  await expect(guard.requireResolved(new URL("http://agency.example/"))).resolves.toBeUndefined();
});

test("redirects within the host are followed, a few of them, and no other", async () => {
  const paths: string[] = [];
  const port = await useServer((request, response) => {
    paths.push(request.url ?? "");
    const places: Record<string, string> = {
      "/moved": "/here",
      "/round": "/round",
      "/away": `http://localhost:${port}/here`,
      "/other-port": `http://127.0.0.1:${port - 1}/here`,
      "/login": `http://me:secret@127.0.0.1:${port}/here`,
    };
    const location = places[request.url ?? ""];
    if (location !== undefined) response.writeHead(302, { location });
    response.end(location === undefined ? "here" : "");
  });
  const base = `http://127.0.0.1:${port}`;
  const get = useExchange(OPEN);
  expect(await get(`${base}/moved`)).toMatchObject({ status: 200, text: "here" });
  expect(paths.splice(0)).toEqual(["/moved", "/here"]);
  for (const path of ["/away", "/other-port", "/login"]) {
    expect((await get(`${base}${path}`)).status).toBe(302);
  }
  expect(paths.splice(0)).toEqual(["/away", "/other-port", "/login"]);
  expect((await get(`${base}/round`)).status).toBe(302);
  expect(paths.splice(0)).toHaveLength(6);
  // The address of the configuration is the operator's word; where it leads to is not.
  expect((await useExchange(null)(`${base}/moved`)).status).toBe(302);
});

test("requests say who asks, take gzip, and name the answer that is known", async () => {
  const seen: IncomingMessage["headers"][] = [];
  const port = await useServer((request, response) => {
    seen.push(request.headers);
    const isKnown = request.headers["if-none-match"] === '"7"';
    const headers = { etag: '"7"', "last-modified": "Thu, 26 Nov 2026 10:00:00 GMT" };
    response.writeHead(isKnown ? 304 : 200, { ...headers, "content-encoding": "gzip" });
    response.end(isKnown ? undefined : gzipSync("the table"));
  });
  const exchange = createExchange({ name: "EMSC", userAgent: "me/1", timeoutMs: 60_000 });
  onTestFinished(exchange.close);
  const url = new URL(`http://127.0.0.1:${port}/`);
  const { signal } = new AbortController();
  const take = async ({ status, headers, body }: HttpAnswer) => ({
    status,
    text: (await buffer(body)).toString(),
    known: validatorsOf(headers),
  });
  const { known, ...first } = await exchange.get(url, signal, take);
  expect(first).toEqual({ status: 200, text: "the table" });
  expect(known).toEqual({ etag: '"7"', lastModified: "Thu, 26 Nov 2026 10:00:00 GMT" });
  const again = await exchange.get(url, signal, async ({ status }) => status, known);
  expect(again).toBe(304);
  expect(seen[0]).toMatchObject({ "user-agent": "me/1", "accept-encoding": "gzip" });
  expect(seen[0]).not.toHaveProperty("if-none-match");
  expect(seen[1]).toMatchObject({
    "if-none-match": known.etag,
    "if-modified-since": known.lastModified,
  });
});
