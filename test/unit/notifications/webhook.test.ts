import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAddressGuard } from "#infra/agency/http/address-guard.ts";
import { post } from "#infra/brokers/webhook.ts";

let calls = 0;
const server = createServer((_, response) => {
  calls += 1;
  response.writeHead(200).end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void server.close());

function send(host: string, isOpen = false): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const guard = createAddressGuard({ isOpen, ports: [port] }, resolve);
  const url = `http://${host}:${port}/hook`;
  const body = { id: "one", body: "{}", contentType: "application/json", secrets: [] };
  return post({ ...body, url, guard, timeoutMs: 5_000 });
}

test("a name that leads inward is refused when it is connected to, though it led outward when it was checked", async () => {
  const { port } = server.address() as AddressInfo;
  const answers = ["1.1.1.1", "127.0.0.1"];
  const resolve = async () => [{ address: answers.shift() ?? "", family: 4 }];
  const guard = createAddressGuard({ isOpen: false, ports: [port] }, resolve);
  const url = `http://receiver.example:${port}/hook`;
  await guard.requireResolved(new URL(url));
  const body = { id: "one", body: "{}", contentType: "application/json", secrets: [] };
  const sent = post({ ...body, url, guard, timeoutMs: 5_000 });
  await expect(sent).rejects.toThrow(/leads to this machine/);
  expect(answers).toEqual([]);
  expect(calls).toBe(0);
});

test("an address that is inward by its number is refused before anything is sent", async () => {
  for (const host of ["127.0.0.1", "[::1]", "0.0.0.0", "169.254.169.254", "receiver.example"]) {
    await expect(send(host), host).rejects.toThrow(/leads to this machine/);
  }
  expect(calls).toBe(0);
  await expect(send("receiver.example", true)).resolves.toBe(200);
  expect(calls).toBe(1);
});
