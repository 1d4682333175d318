import { Configuration } from "openid-client";
import { expect, test } from "vitest";
import { z } from "zod";
import { HOUR_MS } from "#contracts/units.ts";
import { createDiscovery } from "#infra/openid.ts";
import { createSignedCookie } from "#infra/vault/tokens.ts";

/** A provider whose answers are made one by one, and a clock. */
function scene() {
  let time = 0;
  const asked: PromiseWithResolvers<Configuration>[] = [];
  const ask = (): Promise<Configuration> => {
    const answer = Promise.withResolvers<Configuration>();
    asked.push(answer);
    return answer.promise;
  };
  const { known, answering } = createDiscovery(ask, () => time);
  const advance = (ms: number): void => {
    time += ms;
  };
  return { known, answering, asked, advance };
}

const configuration = () => new Configuration({ issuer: "https://sso.example.org" }, "client");

test("a provider is asked once for all who wait, and not again within an hour", async () => {
  const { known, asked, advance } = scene();
  const both = Promise.all([known(), known()]);
  expect(asked).toHaveLength(1);
  const answer = configuration();
  asked[0]?.resolve(answer);
  expect(await both).toEqual([answer, answer]);
  advance(HOUR_MS - 1);
  expect(await known()).toBe(answer);
  expect(asked).toHaveLength(1);
});

test("a provider is asked again after a failure", async () => {
  const { known, asked } = scene();
  const first = known();
  asked[0]?.reject(new Error("no answer"));
  await expect(first).rejects.toThrow("no answer");
  const second = known();
  const answer = configuration();
  asked[1]?.resolve(answer);
  expect(await second).toBe(answer);
});

test("after an hour a provider is asked anew; while it does not answer, what is known is used", async () => {
  const { known, asked, advance } = scene();
  const first = known();
  const answer = configuration();
  asked[0]?.resolve(answer);
  await first;
  advance(HOUR_MS);
  const later = known();
  asked[1]?.reject(new Error("no answer"));
  expect(await later).toBe(answer);
  const newer = known();
  const next = configuration();
  asked[2]?.resolve(next);
  expect(await newer).toBe(next);
});

test("a provider counts as answering for a second; then it is asked, and what is known is not enough", async () => {
  const { known, answering, asked, advance } = scene();
  const first = answering();
  const answer = configuration();
  asked[0]?.resolve(answer);
  expect(await first).toBe(answer);
  advance(999);
  expect(await answering()).toBe(answer);
  expect(asked).toHaveLength(1);
  advance(1);
  const later = answering();
  asked[1]?.reject(new Error("no answer"));
  await expect(later).rejects.toThrow("no answer");
  expect(await known()).toBe(answer);
  expect(asked).toHaveLength(2);
});

const SECOND = 1_000;
let time = Date.UTC(2026, 0, 1);
const options = {
  name: "step",
  schema: z.object({ next: z.string() }),
  lifetimeSeconds: 600,
  publicBaseUrl: "https://quakes.example.org",
  secret: "what all gateways share, 32 letters",
  now: () => new Date(time),
};
const cookie = createSignedCookie(options);
const value = { next: "/profile" };

/** As the browser sends it back. */
function sent(header: string): Record<string, string> {
  const [pair = ""] = header.split(";");
  const [name = "", text = ""] = pair.split("=");
  return { [name]: text };
}

test("a signed cookie comes back as it was set, also at another gateway", () => {
  expect(createSignedCookie(options).read(sent(cookie.set(value)))).toEqual(value);
});

test("a signed cookie goes over encrypted connections alone where the service has such an address", () => {
  expect(cookie.set(value)).toMatch(
    /^__Host-step=[\w-]+\.[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  const plain = createSignedCookie({ ...options, publicBaseUrl: "http://localhost:3000" });
  expect(plain.set(value)).toMatch(/^step=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
});

test("a signed cookie ends with its lifetime, whatever the browser keeps", () => {
  const kept = sent(cookie.set(value));
  time += 600 * SECOND - 1;
  expect(cookie.read(kept)).toEqual(value);
  time += 1;
  expect(cookie.read(kept)).toBeNull();
});

test.each<[string, (name: string, text: string) => Record<string, string>]>([
  ["is missing", () => ({})],
  ["is empty", (name) => ({ [name]: "" })],
  ["has no signature", (name, text) => ({ [name]: text.split(".")[0] ?? "" })],
  ["has another signature", (name, text) => ({ [name]: `${text.slice(0, -2)}AA` })],
  ["has a longer signature", (name, text) => ({ [name]: `${text}AAAA` })],
  [
    "has another value",
    (name, text) => ({ [name]: `eyJ2YWx1ZSI6e319${text.slice(text.indexOf("."))}` }),
  ],
])("a signed cookie is nothing when it %s", (_, change) => {
  const [[name = "", text = ""] = []] = Object.entries(sent(cookie.set(value)));
  expect(cookie.read(change(name, text))).toBeNull();
});

test.each([{ name: "other" }, { secret: "another secret, just as long as it" }])(
  "a signed cookie is nothing to a reader with %j",
  (difference) => {
    const [[, text = ""] = []] = Object.entries(sent(cookie.set(value)));
    const other = createSignedCookie({ ...options, ...difference });
    expect(other.read({ "__Host-step": text, "__Host-other": text })).toBeNull();
  },
);
