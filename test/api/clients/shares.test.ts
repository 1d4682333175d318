import { expect, test } from "vitest";
import type { Share } from "#contracts/http/catalogues.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");

type NewShare = Share & { readonly url: string };

async function share(catalogue: string, body: object = {}): Promise<NewShare> {
  const path = `/api/catalogues/${catalogue}/shares`;
  const answer = await editor.send<{ share: NewShare }>("POST", path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.share;
}

async function listed(catalogue: string): Promise<Share[]> {
  const path = `/api/catalogues/${catalogue}/shares`;
  return (await editor.get<{ shares: Share[] }>(path)).body.shares;
}

const pathOf = ({ url }: NewShare) => new URL(url).pathname;

async function privateCatalogue(): Promise<{ id: string; event: string }> {
  const { id } = await createCatalogue(editor, { events: [seismicEvent(), seismicEvent()] });
  const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
  return { id, event: body.events[0]?.id ?? "" };
}

test("whoever has the address reads what its catalogue has, and not who made it", async () => {
  const { id, event } = await privateCatalogue();
  await editor.send("POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] });
  const base = pathOf(await share(id));
  for (const read of [
    "/events",
    "/events?asOf=1",
    "/events/filtered",
    `/events/${event}`,
    "/events/columns?columns=id,time,magnitude",
    "/export?format=json",
    "/versions/1/citation?format=datacite",
    "/analytics/summary",
  ]) {
    const accept = { accept: "application/json" };
    const shared = await guest.get(base + read, accept);
    expect([read, shared.status]).toEqual([read, 200]);
    expect(shared.body).toEqual((await editor.get(`/api/catalogues/${id}${read}`, accept)).body);
    expect(shared.headers.get("cache-control")).toBe("no-store");
  }
  const own = await editor.get<{ versions: { actor: string | null }[] }>(
    `/api/catalogues/${id}/versions`,
  );
  expect(own.body.versions[0]?.actor).not.toBeNull();
  const versions = own.body.versions.map((version) => ({ ...version, actor: null }));
  expect((await guest.get(`${base}/versions`)).body).toEqual({ versions });
  const record = await guest.get(`${base}/versions/1`, { accept: "text/html,*/*" });
  expect(record).toMatchObject({ status: 200, body: { version: { version: 1, actor: null } } });
  const plot = await guest.get(`${base}/analytics/rates.svg`);
  expect([plot.status, plot.headers.get("cache-control")]).toEqual([200, "no-store"]);
});

test("its address alone tells programs of the catalogue, and gives browsers its page", async () => {
  const { id } = await privateCatalogue();
  const base = pathOf(await share(id));
  const own = await editor.get<{ created_by: string | null; bbox: unknown }>(
    `/api/catalogues/${id}`,
  );
  expect([own.body.created_by, own.body.bbox]).not.toContain(null);
  const ofBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const kept = [];
  for (const accept of ["application/json", "*/*", "application/json, text/html;q=0.5"]) {
    const answer = await guest.get(base, { accept });
    expect([accept, answer.status]).toEqual([accept, 200]);
    expect(answer.body).toEqual({ ...own.body, created_by: null });
    kept.push(answer.headers);
  }
  for (const path of [base, `${base}/catalogues/${id}`, `${base}/catalogues/${id}/analytics`]) {
    const page = await fetch(new URL(path, service.url), { headers: ofBrowser });
    expect([path, page.headers.get("content-type")]).toEqual([path, "text/html; charset=utf-8"]);
    expect(await page.text()).not.toContain(base.split("/").at(-1));
    expectRefusal(await guest.get(`${base}/catalogues/${id}`), "NOT_FOUND");
    kept.push(page.headers);
  }
  for (const headers of kept) {
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
  expect(kept[0]?.get("vary")).toContain("Accept");
  const program = await guest.get(`${base}/events`, ofBrowser);
  expect([program.status, program.headers.get("cache-control")]).toEqual([200, "no-store"]);
});

test("an ended, an expired and an unknown share are 404, and those of a deleted catalogue", async () => {
  const { id } = await privateCatalogue();
  const [made, other] = [await share(id), await share(id)];
  // A missing body is an empty one where all of its members are optional, else it is asked for.
  expect((await editor.send("POST", `/api/catalogues/${id}/shares`)).status).toBe(201);
  const decluster = await editor.send("POST", `/api/catalogues/${id}/analytics/decluster`);
  expectRefusal(decluster, "INVALID_JSON", "A body is needed");
  expect((await guest.get(`${pathOf(made)}/events`)).status).toBe(200);
  const path = `/api/catalogues/${id}/shares/${made.id}`;
  expect((await editor.send("DELETE", path)).body).toEqual({ success: true });
  expectRefusal(await guest.get(`${pathOf(made)}/events`), "NOT_FOUND");
  expectRefusal(await guest.get(pathOf(made)), "NOT_FOUND");
  expectRefusal(await editor.send("DELETE", path), "NOT_FOUND");
  expectRefusal(await guest.get(`/api/share/${"x".repeat(32)}/events`), "NOT_FOUND");
  expectRefusal(await guest.get("/api/share/%00/events"), "NOT_FOUND");
  expect((await guest.get(`${pathOf(other)}/events`)).status).toBe(200);
  await editor.send("DELETE", `/api/catalogues/${id}`);
  expectRefusal(await guest.get(`${pathOf(other)}/events`), "NOT_FOUND");
  expectRefusal(await editor.get(`/api/catalogues/${id}/shares`), "NOT_FOUND");
});

test("the list tells label, expiry and last use, never the address", async () => {
  const { id } = await privateCatalogue();
  const made = await share(id, { label: "Reviewers", expiresInDays: 7 });
  const { url, ...rest } = made;
  expect(rest).toEqual({
    id: expect.any(String),
    label: "Reviewers",
    created_at: expect.any(String),
    expires_at: expect.any(String),
    last_used: null,
  });
  const days = (Date.parse(made.expires_at ?? "") - Date.parse(made.created_at)) / 86_400_000;
  expect(days).toBeCloseTo(7, 3);
  expect(await listed(id)).toEqual([rest]);
  await guest.get(`${pathOf(made)}/events`);
  const [used] = await listed(id);
  expect(used?.last_used).toMatch(/^20\d\d-/);
  expect(url).toMatch(/\/api\/share\/[\w-]{32}$/);
});
