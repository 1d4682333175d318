import { expect, test } from "vitest";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

test("HEAD tells no length where GET sends bytes, or the length that GET has", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    events: [...generateEvents(1, 1_100)],
    is_public: true,
  });
  const paths = [
    "/events/columns",
    "/events?limit=1000",
    "/events/filtered",
    "/events/filtered?limit=3",
    "/export?format=csv",
    "/versions/1/citation?format=text",
    "/versions/1/diff",
    "/versions/1/diff?format=csv",
    "/fdsnws/event/1/query",
    "/feed/v1.0/summary/all_month.geojson",
  ];
  for (const path of paths) {
    const url = `${service.url}/api/catalogues/${id}${path}`;
    const headers = { "accept-encoding": "identity" };
    const whole = await fetch(url, { headers });
    const { byteLength } = await whole.arrayBuffer();
    const head = await fetch(url, { method: "HEAD", headers });
    expect([path, head.status]).toEqual([path, whole.status]);
    expect([null, String(byteLength)]).toContain(head.headers.get("content-length"));
    expect(byteLength).toBeGreaterThan(0);
  }
});

test("what cites a version of a public catalogue may be kept for an hour, and has a tag", async () => {
  const editor = await service.loginAs("editor");
  const open = await createCatalogue(editor, { events: [], is_public: true });
  const closed = await createCatalogue(editor, { events: [] });
  const citation = (id: string) => `/api/catalogues/${id}/versions/1/citation?format=bibtex`;
  const guest = await service.loginAs("guest");
  const cited = await guest.get(citation(open.id));
  expect(cited.headers.get("cache-control")).toBe("public, max-age=3600");
  const tag = cited.headers.get("etag") ?? "";
  const again = await fetch(service.url + citation(open.id), {
    headers: { "if-none-match": tag },
  });
  expect(again.status).toBe(304);
  const person = await fetch(`${service.url}/api/catalogues/${open.id}/versions/1`, {
    headers: { accept: "text/html" },
    redirect: "manual",
  });
  expect([person.status, person.headers.get("cache-control")]).toEqual([
    303,
    "public, max-age=3600",
  ]);
  const own = await editor.get(citation(closed.id));
  expect(own.headers.get("cache-control")).toBe("private, no-cache");
  expect(own.headers.get("etag")).toMatch(/^"is-/);
});

test("the two forms of columns have one address and two tags", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const path = `/api/catalogues/${id}/events/columns`;
  const tagOf = async (accept: string) => (await editor.get(path, { accept })).headers.get("etag");
  expect([await tagOf("*/*"), await tagOf("application/json")]).toEqual(['"1"', '"1-as-json"']);
});

test("a share opens the events, by column for its page too, and neither members, shares nor imports", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const { body } = await editor.send<{ share: { url: string } }>(
    "POST",
    `/api/catalogues/${id}/shares`,
    {},
  );
  const path = new URL(body.share.url).pathname;
  const status = async (rest: string) => (await fetch(`${service.url}${path}${rest}`)).status;
  expect([await status("/events"), await status("/events/columns")]).toEqual([200, 200]);
  for (const other of ["/members", "/shares", "/merge", "/schedules", "/versions/1/diff"]) {
    expect(await status(other), other).toBe(404);
  }
});
