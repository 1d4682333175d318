import { beforeAll, describe, expect, test } from "vitest";
import { compactEventId } from "#contracts/seismic-event/ids.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");
/**
 * Version 1 has `kept`, `renamed`, `false` and `early`, version 2 no `early` any more. Guests read it from here on.
 * Version 3 calls `renamed` `again`, version 4 has no `false` any more, version 5 has another event by its id.
 */
let id: string;
const own = new Map<string, string>();

const named = (source_id: string, magnitude: number) =>
  seismicEvent({ source_id, magnitude, agency_id: "WEL", event_type: "earthquake" });

beforeAll(async () => {
  const events = [named("kept", 4), named("renamed", 5), named("false", 6), named("early", 3)];
  ({ id } = await createCatalogue(editor, { name: "Former", events }));
  await remember();
  const path = `/api/catalogues/${id}`;
  // The first version alone has it, and no guest reads that.
  await editor.send("DELETE", `${path}/events/${own.get("early")}`);
  await editor.send("PATCH", path, { is_public: true });
  await editor.send("PATCH", `${path}/events/${own.get("renamed")}`, { source_id: "again" });
  await editor.send("DELETE", `${path}/events/${own.get("false")}`);
  await editor.send("POST", `${path}/events`, { events: [named("false", 2)] });
  await remember("second ");
});

async function remember(prefix = ""): Promise<void> {
  const path = `/api/catalogues/${id}/events`;
  const { body } = await editor.get<{ events: { id: string; source_id: string }[] }>(path);
  for (const event of body.events) own.set(prefix + event.source_id, event.id);
}

const ask = (query: string, from = `/api/catalogues/${id}`, client = guest) =>
  client.get<string>(`${from}/fdsnws/event/1/query?${query}`);

async function magnitudes(query: string, from?: string, client?: ApiClient): Promise<number[]> {
  const { status, body } = await ask(`orderby=magnitude&format=text&${query}`, from, client);
  if (status === 204) return [];
  expect(status, String(body)).toBe(200);
  const [, ...lines] = body.trimEnd().split("\n");
  return lines.map((line) => Number(line.split("|")[10]));
}

describe("ids that were", () => {
  test("an event is found by the id that it had, as it is now", async () => {
    expect(await magnitudes("eventid=renamed")).toEqual([5]);
    expect(await magnitudes("eventid=renamed,kept")).toEqual([5, 4]);
    expect(await magnitudes("eventid=renamed&minmagnitude=6")).toEqual([]);
    // Another event has that id now.
    expect(await magnitudes("eventid=false")).toEqual([2]);
    // Beside an event that is there, a removed one is left out.
    expect(await magnitudes(`eventid=kept,${own.get("false")}`)).toEqual([4]);
    // An earlier version knows nothing of later ones.
    const first = `/api/catalogues/${id}/versions/1`;
    expect(await magnitudes("eventid=again", first, editor)).toEqual([]);
    expect(await magnitudes("eventid=false", `/api/catalogues/${id}/versions/3`)).toEqual([6]);
    const { body, headers } = await ask("eventid=renamed&format=geojson");
    expect(body).toMatchObject({ type: "Feature", id: "again" });
    expect(headers.get("cache-control")).toBe("private, no-cache");
  });

  test("of a removed event the answer is 410, with the last version that has it and where its id leads", async () => {
    const gone = own.get("false") ?? "";
    const { status, body, headers } = await ask(`eventid=${gone}`);
    expect(status).toBe(410);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const next = compactEventId(own.get("second false") ?? "");
    expect(body).toMatch(/^Error 410: Gone\n\n/);
    expect(body).toContain(
      `The event ${compactEventId(gone)} was removed in version 4; version 3 is`,
    );
    expect(body).toContain(`leads to the event ${next} now`);
    const [, then = ""] = /the last that has it: \S+?(\/api\S+) /.exec(body) ?? [];
    expect((await guest.get(then)).status).toBe(200);
    const json = await ask(`eventid=${gone}&format=geojson&jsonerror=true`);
    expect(json.body).toMatchObject({ metadata: { status: 410, error: /version 3/ } });
    const detail = await guest.get(`/api/catalogues/${id}/feed/v1.0/detail/${gone}.geojson`);
    expect(detail.status).toBe(410);
    const count = await guest.get(`/api/catalogues/${id}/fdsnws/event/1/count?eventid=${gone}`);
    expect([count.status, count.body]).toEqual([200, "0"]);
  });
});

const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));

describe("deleted events", () => {
  test("are there beside the others, or alone, where that is asked for", async () => {
    expect(await magnitudes("")).toEqual([5, 4, 2]);
    expect(await magnitudes("includedeleted=true")).toEqual([6, 5, 4, 2]);
    expect(await magnitudes("includedeleted=only")).toEqual([6]);
    expect(await magnitudes("includedeleted=true&limit=2&offset=2")).toEqual([5, 4]);
    expect(await magnitudes("includedeleted=only&maxmagnitude=5")).toEqual([]);
    expect(await magnitudes("includedeleted=only&eventtype=earthquake")).toEqual([6]);
    expect(await magnitudes("includedeleted=true", `/api/catalogues/${id}/versions/3`)).toEqual([
      6, 5, 4,
    ]);
    const count = await guest.get(`/api/catalogues/${id}/fdsnws/event/1/count?includedeleted=true`);
    expect(count.body).toBe("4");
  });

  test("are found by their ids then, beside those that have the id now, and told by their mark", async () => {
    expect(await magnitudes(`eventid=${own.get("false")}&includedeleted=true`)).toEqual([6]);
    expect(await magnitudes("eventid=false&includedeleted=true")).toEqual([6, 2]);
    expect(await magnitudes("eventid=kept&includedeleted=only")).toEqual([]);
    for (const [format, mark] of [
      ["geojson", '"status":"deleted"'],
      ["csv", ",deleted,"],
      ["json", '"status":"deleted"'],
      ["xml", "<type>not existing</type>"],
      ["text", "|not existing\n"],
      ["kml", "not existing"],
      ["sc3ml", "<type>not existing</type>"],
    ] as const) {
      const only = await ask(`includedeleted=only&format=${format}`);
      expect(textOf(only.body), format).toContain(mark);
      const others = await ask(`format=${format}`);
      expect(textOf(others.body), format).not.toContain(mark);
    }
  });

  test("count as changed when they were removed", async () => {
    const path = `/api/catalogues/${id}/versions`;
    const { body } = await guest.get<{ versions: { version: number; created_at: string }[] }>(path);
    const at = (wanted: number) =>
      body.versions.find(({ version }) => version === wanted)?.created_at ?? "";
    expect(await magnitudes(`includedeleted=only&updatedafter=${at(3)}`)).toEqual([6]);
    expect(await magnitudes(`includedeleted=only&updatedafter=${at(4)}`)).toEqual([]);
    const geojson = await ask("includedeleted=only&format=geojson");
    const [feature] = (geojson.body as unknown as { features: Feature[] }).features;
    expect(feature?.properties.updated).toBe(Date.parse(at(4)));
  });

  test("of versions that guests may not read, guests learn nothing, others do", async () => {
    const early = own.get("early") ?? "";
    for (const asked of ["early", early]) {
      expect((await ask(`eventid=${asked}`)).status).toBe(204);
      expect(await magnitudes(`eventid=${asked}&includedeleted=true`)).toEqual([]);
      expect((await ask(`eventid=${asked}`, undefined, editor)).status).toBe(410);
      expect(await magnitudes(`eventid=${asked}&includedeleted=true`, undefined, editor)).toEqual([
        3,
      ]);
    }
    const answer = await ask("includedeleted=true", undefined, editor);
    expect(answer.headers.get("cache-control")).toBe("private, no-cache");
    expect(answer.headers.get("etag")).toBeNull();
  });

  test("a share reads them as its catalogue's readers do", async () => {
    const share = await editor.send<{ share: { url: string } }>(
      "POST",
      `/api/catalogues/${id}/shares`,
      {},
    );
    const base = new URL(share.body.share.url).pathname;
    expect(await magnitudes("includedeleted=only", base)).toEqual([6, 3]);
    expect((await ask("eventid=early", base)).status).toBe(410);
  });
});

type Feature = { readonly properties: { readonly updated: number } };
