import { expect, test } from "vitest";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function page(path: string, headers: Record<string, string> = HTML) {
  const answer = await fetch(service.url + path, { headers, redirect: "manual" });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test("browsers get the console where there is no operation, programs the error of the API", async () => {
  const id = "6d0f7a0e-3c52-4c4e-9a57-2f8d1b0c9e11";
  for (const path of [
    ...["/", "/catalogues", `/catalogues/${id}?asOf=2`, "/apiary", "/metricsandmore"],
  ]) {
    const { status, headers, text } = await page(path);
    expect([path, status]).toEqual([path, 200]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(text).toContain('<div id="root">');
  }
  expect((await page("/", {})).text).toContain('<div id="root">');
  for (const [accept, status] of [
    ["text/html", 200],
    ["text/html;q=0.9, application/json;q=0.8", 200],
    ["application/json, text/html;q=0.1", 404],
    ["application/json", 404],
    ["*/*", 404],
  ] as const) {
    const answer = await page("/catalogues", { accept });
    expect([accept, answer.status]).toEqual([accept, status]);
    expect(answer.headers.get("vary")?.toLowerCase()).toContain("accept");
    const type = status === 200 ? "text/html" : "application/json";
    expect(answer.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
  }
});

test("there is no page below the API, its services and the assets, however they are spelt", async () => {
  for (const path of [
    ...["/api", "/api/nothing", "/api/catalogues/x/fdsnws/event/1/nothing", "/assets/nothing.js"],
    ...["/a/%66dsnws/x", "/foo%2ffdsnws%2fevent", "/%61pi/foo", "/api%2Ffoo", "//api/foo"],
    ...["/%2fapi/foo", "/x/%66dsnws/event/1/query", "/%zz", "/%61ssets/x"],
  ]) {
    const { status, text } = await page(path);
    expect([path, status]).toEqual([path, path === "/%zz" ? 400 : 404]);
    expect(text).not.toContain("<div");
    if (/dsnws/.test(path)) expect(text).toMatch(/^Error 404: /);
    else expect(JSON.parse(text)).toHaveProperty("code");
  }
});

test("its policy lets nothing come from elsewhere, and no script from the page itself", async () => {
  const { headers } = await page("/");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy.split(";").toSorted()).toEqual(
    [
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data: blob:",
      "script-src 'self'",
      "style-src 'self'",
    ].toSorted(),
  );
});

test("the page is asked for again by its tag", async () => {
  const { headers } = await page("/");
  const again = await page("/", { ...HTML, "if-none-match": headers.get("etag") ?? "" });
  expect([again.status, again.text]).toEqual([304, ""]);
  const tag = headers.get("etag") ?? "";
  for (const known of [`W/${tag}`, `"other", ${tag}`, "*"]) {
    expect((await page("/", { ...HTML, "if-none-match": known })).status).toBe(304);
  }
  expect((await page("/", { ...HTML, "if-none-match": '"other"' })).status).toBe(200);
});

test("its files are compressed, named by their content and kept for ever", async () => {
  const { text } = await page("/");
  const [script = ""] = /\/assets\/main-\w+\.js/.exec(text) ?? [];
  const zipped = await fetch(service.url + script, { headers: { "accept-encoding": "gzip" } });
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  expect(zipped.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(zipped.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  const plain = await fetch(service.url + script, { headers: { "accept-encoding": "identity" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(await plain.text()).toBe(await zipped.text());
  const without = await fetch(service.url + script, {
    headers: { "accept-encoding": "gzip;q=0" },
  });
  expect(without.headers.get("content-encoding")).toBeNull();
  const tag = zipped.headers.get("etag") ?? "";
  expect(plain.headers.get("etag")).not.toBe(tag);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
    const headers = { "accept-encoding": "gzip", "if-none-match": known };
    expect((await fetch(service.url + script, { headers })).status).toBe(304);
  }
});
