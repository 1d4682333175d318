import { expect, test } from "vitest";
import { z } from "zod";
import { createSignedCookie } from "#infra/security/signed-cookie.ts";

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
