import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { ValidationReport } from "#contracts/http/validation-report.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { sealBulletin } from "#infra/bulletins/seal-bulletin.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

type Listed = SeismicEvent & { readonly source_count: number };
type Answered = { bulletin: Bulletin; version: number; source: string };

const { sha256, counts } = sealBulletin(smallBulletin());

async function eventsOf(id: string): Promise<Listed[]> {
  const path = `/api/catalogues/${id}/events/filtered`;
  return (await editor.get<{ events: Listed[] }>(path)).body.events;
}

async function withBulletin(...others: readonly unknown[]) {
  const { id } = await createCatalogue(editor, {
    events: [{ bulletin: smallBulletin() }, ...others],
  });
  const events = await eventsOf(id);
  const event = events.find((one) => one.bulletin_sha256 !== undefined);
  if (event === undefined) throw new Error("no event has a bulletin");
  return { id, event, path: `/api/catalogues/${id}/events/${event.id}` };
}

describe("an event that is submitted with its bulletin", () => {
  test("has the bulletin's view as its row, and tells of the bulletin in every answer", async () => {
    const { event, path } = await withBulletin(seismicEvent());
    expect(event).toMatchObject({
      time: "2024-05-06T07:08:01.5Z",
      latitude: -41.5,
      longitude: 174.5,
      depth: 12.3,
      magnitude: 4.5,
      magnitude_type: "Mw",
      agency_id: "WEL",
      bulletin_sha256: sha256,
      bulletin_counts: counts,
    });
    const { source_count: _, ...body } = event;
    expect((await editor.get(path)).body).toEqual({ event: body });
  });

  test("is given as QuakeML and ISF as well, by format or by Accept", async () => {
    const { path } = await withBulletin();
    for (const [query, accept, type, text] of [
      ["?format=quakeml", "*/*", "application/xml", '<event publicID="smi:test.local/one/event/0"'],
      ["?format=quakeml&form=given&parts=pick", "*/*", "application/xml", "<pick publicID="],
      ["", "application/xml", "application/xml", "<arrival publicID="],
      ["?format=isf", "*/*", "text/plain; charset=utf-8", "BEGIN IMS2.0"],
      ["", "text/plain", "text/plain; charset=utf-8", "STOP"],
      ["", "text/html,*/*", "application/json; charset=utf-8", '"source":"bulletin"'],
    ] as const) {
      const answer = await editor.stream(`${path}/bulletin${query}`, { accept });
      expect([query, answer.status, answer.headers.get("content-type")]).toEqual([
        query,
        200,
        type,
      ]);
      expect(await answer.text()).toContain(text);
    }
    const refused = await editor.get(`${path}/bulletin?form=given`);
    expectRefusal(refused, "VALIDATION_ERROR", "form");
  });

  test("gives the parts of its bulletin that are asked for, by name", async () => {
    const { path } = await withBulletin();
    const { body } = await editor.get<Answered>(`${path}/bulletin?parts=Magnitude,pick`);
    const { magnitude, pick } = smallBulletin();
    expect(body.bulletin).toMatchObject({ magnitude, pick });
    expect(body.bulletin).not.toHaveProperty("origin");
    const refused = await editor.get(`${path}/bulletin?parts=picks`);
    expectRefusal(refused, "VALIDATION_ERROR", "parts");
  });

  test("gives its bulletin back, and one without gives what its row says", async () => {
    const { id, path } = await withBulletin(seismicEvent());
    const { body } = await editor.get<Answered>(`${path}/bulletin`);
    expect(body).toMatchObject({ version: 1, source: "bulletin" });
    expect(sealBulletin(body.bulletin).sha256).toBe(sha256);
    const other = (await eventsOf(id)).find((one) => one.bulletin_sha256 === undefined);
    const made = await editor.get<Answered>(`/api/catalogues/${id}/events/${other?.id}/bulletin`);
    expect(made.body).toMatchObject({ version: 1, source: "row" });
    expect(made.body.bulletin.origin).toHaveLength(1);
  });

  test("is counted by kind in the report", async () => {
    const { validationReport } = await createCatalogue(editor, {
      events: [{ bulletin: smallBulletin() }, { bulletin: smallBulletin("two") }, seismicEvent()],
    });
    expect(validationReport.elements).toMatchObject({
      event: { read: 2, kept: 2, dropped: 0 },
      arrival: { read: 4, kept: 4, dropped: 0 },
    });
  });

  test.each([
    [
      "bulletin.origin[0].depth.value",
      {
        ...smallBulletin(),
        origin: [{ ...smallBulletin().origin?.[0], depth: { value: "deep" } }],
      },
      {},
    ],
    ["bulletin.origins", { ...smallBulletin(), origins: [] }, {}],
    ["bulletin.pick", { ...smallBulletin(), pick: [] }, {}],
    ["bulletin.publicID", {}, {}],
    ["bulletin", { publicID: "smi:test.local/1" }, {}],
    ["magnitude", smallBulletin(), { magnitude: 5 }],
    ["depth", smallBulletin(), { depth_km: 12.4 }],
    ["time", smallBulletin(), { time: "2024-05-06T07:08:02Z" }],
  ])("is invalid by its member %s", async (field, bulletin, beside) => {
    const { body } = await editor.send<{ error: { details: ValidationReport["invalidEvents"] } }>(
      "POST",
      "/api/catalogues",
      { name: "invalid", events: [{ ...beside, bulletin }] },
    );
    expect(JSON.stringify(body)).toContain(`"field":"${field}"`);
  });

  test("keeps an id and further members that stand beside it, and may repeat what it says", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        {
          id: "mine",
          depth: 12.3,
          mag: 4.5,
          note: "checked",
          bulletin_sha256: "ignored",
          bulletin: smallBulletin(),
        },
      ],
    });
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({ source_id: "mine", bulletin_sha256: sha256 });
    expect(event?.extra).toMatchObject({ note: "checked" });
    expect(event?.extra).not.toHaveProperty("bulletin_sha256");
  });

  test("is added to a catalogue, updated where its bulletin alone differs, and else unchanged", async () => {
    const { id } = await createCatalogue(editor, { events: [] });
    const add = (bulletin: Bulletin) =>
      editor.send<{ version: number; newEvents: number; updatedEvents: number }>(
        "POST",
        `/api/catalogues/${id}/events`,
        { events: [{ bulletin }], updateExisting: true },
      );
    const bulletin = smallBulletin();
    expect((await add(bulletin)).body).toMatchObject({ version: 2, newEvents: 1 });
    expect((await add(bulletin)).body).toMatchObject({ version: 2, updatedEvents: 0 });
    const other = { ...bulletin, comment: [{ text: "not felt" }] };
    expect((await add(other)).body).toMatchObject({ version: 3, updatedEvents: 1 });
    const diff = await editor.get(`/api/catalogues/${id}/versions/3/diff?from=2`);
    expect(diff.body).toMatchObject({ changes: [{ change: "updated" }] });
    const [event] = await eventsOf(id);
    expect(event?.bulletin_sha256).toBe(sealBulletin(other).sha256);
  });
});

describe("the bulletin of an event", () => {
  test("is replaced with its row, and an equal one makes no version", async () => {
    const { path } = await withBulletin();
    const [first, second] = smallBulletin().origin ?? [];
    const bulletin = { ...smallBulletin(), preferredOriginID: second?.publicID };
    const put = () => editor.send("PUT", `${path}/bulletin`, { bulletin });
    expect(first?.publicID).not.toBe(second?.publicID);
    expect((await put()).body).toMatchObject({ version: 2, event: { latitude: -41.75 } });
    expect((await put()).body).toMatchObject({ version: 2 });
    const { body } = await editor.get<Answered>(`${path}/bulletin?asOf=1`);
    expect(sealBulletin(body.bulletin).sha256).toBe(sha256);
  });

  test("is refused where it is none, with the member named", async () => {
    const { path } = await withBulletin();
    const bulletin = { ...smallBulletin(), type: "quake" };
    const answer = await editor.send("PUT", `${path}/bulletin`, { bulletin });
    expectRefusal(answer, "VALIDATION_ERROR");
    expect(JSON.stringify(answer.body)).toContain('"field":"bulletin.type"');
    expectRefusal(await editor.send("PUT", `${path}/bulletin`, {}), "VALIDATION_ERROR");
    expectRefusal(await editor.send("PUT", `${path}/bulletin`, "{"), "INVALID_JSON");
    const stale = { "if-match": '"v9"' };
    const put = await editor.send("PUT", `${path}/bulletin`, { bulletin: smallBulletin() }, stale);
    expectRefusal(put, "PRECONDITION_FAILED");
  });

  test("is removed, while the row stays, and comes back with a restored version", async () => {
    const { id, event, path } = await withBulletin();
    const { bulletin_sha256: _, bulletin_counts: __, source_count: ___, ...row } = event;
    expect((await editor.send("DELETE", `${path}/bulletin`)).body).toEqual({
      event: row,
      version: 2,
    });
    expect((await editor.send("DELETE", `${path}/bulletin`)).body).toMatchObject({ version: 2 });
    expect((await editor.get<Answered>(`${path}/bulletin`)).body.source).toBe("row");
    const restored = await editor.send("POST", `/api/catalogues/${id}/versions/1/restore`);
    expect(restored.body).toEqual({ version: 3 });
    const { body } = await editor.get<Answered>(`${path}/bulletin`);
    expect(body.source).toBe("bulletin");
    expect(sealBulletin(body.bulletin).sha256).toBe(sha256);
  });

  test("comes back with a removed event that is restored", async () => {
    const { id, path } = await withBulletin(seismicEvent());
    await editor.send("DELETE", path);
    await editor.send("POST", `/api/catalogues/${id}/versions/1/restore`);
    const { body } = await editor.get<Answered>(`${path}/bulletin`);
    expect(sealBulletin(body.bulletin).sha256).toBe(sha256);
  });
});

test("the hash of a version covers its bulletins, as the JSON export and its canonical form tell", async () => {
  const { id, event } = await withBulletin(seismicEvent());
  const { body } = await editor.get<{ events: Record<string, unknown>[] }>(
    `/api/catalogues/${id}/export?format=json`,
  );
  const exported = body.events.find((one) => one["id"] === event.id);
  expect(exported).toMatchObject({ bulletin_sha256: sha256 });
  expect(exported).not.toHaveProperty("bulletin_counts");
  const lines = body.events
    .toSorted((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1))
    .map((one) => `${sorted(one)}\n`);
  const record = await editor.get<{ sha256: string }>(`/api/catalogues/${id}/versions/1`);
  expect(JSON.stringify(record.body)).toContain(
    createHash("sha256").update(lines.join("")).digest("hex"),
  );
});

/** The members of an event in order of their names; none of its structures has several. */
function sorted(event: Record<string, unknown>): string {
  const names = Object.keys(event).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${structured(event[name])}`).join(",")}}`;
}

function structured(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  return sorted(value as Record<string, unknown>);
}
