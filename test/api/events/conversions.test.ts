import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { MagnitudeConversion } from "#contracts/merge/magnitude-conversion.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { keyed } from "../../support/api/keyed.ts";
import { whileRevisionIsOpen } from "../../support/api/open-revision.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
type Converted = { version: number; converted: number; outOfRange: number };

const OURS: MagnitudeConversion = {
  name: "Ours, of ML",
  from: "ML",
  to: "Mw",
  slope: 0.5,
  intercept: 2,
  sigma: 0.25,
  range: [2, 6],
  reference: "Our own",
};

const mb = (id: string, magnitude: number | null, given: object = {}) =>
  seismicEvent({ id, magnitude, magnitude_type: "mb", ...given });

function convert(id: string, body: object, headers: Record<string, string> = {}) {
  return editor.send<Converted>("POST", `/api/catalogues/${id}/conversions`, body, headers);
}

async function eventsOf(id: string): Promise<Map<string | null, SeismicEvent>> {
  const { body } = await editor.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/export?format=json`,
  );
  return new Map(body.events.map((event) => [event.source_id, event]));
}

async function bulletinOf(id: string, event: string): Promise<Bulletin> {
  const path = `/api/catalogues/${id}/events/${event}/bulletin`;
  return (await editor.get<{ bulletin: Bulletin }>(path)).body.bulletin;
}

test("GET /api/conversions lists the known ones with their source, to anybody", async () => {
  const guest = await service.loginAs("guest");
  type Listed = { conversions: MagnitudeConversion[] };
  const { conversions } = (await guest.get<Listed>("/api/conversions")).body;
  expect(conversions.map(({ name }) => name)).toContain("isc-gem-mb");
  for (const { reference } of conversions) expect(reference).toMatch(/\(\d{4}\).*doi:/);
});

describe("POST /api/catalogues/{id}/conversions", () => {
  test("converts what fits as one edit, and keeps what was", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        mb("a", 5, { magnitude_uncertainty: 0.1, magnitude_station_count: 7, note: "kept" }),
        mb("b", 3.9),
        mb("c", null),
        seismicEvent({ id: "d", magnitude: 6.4, magnitude_type: "MS" }),
        seismicEvent({ id: "e", magnitude: 5, magnitude_type: "mB" }),
        seismicEvent({ id: "f", magnitude: 5 }),
      ],
    });
    const before = await eventsOf(id);
    const answer = await convert(id, { conversions: ["isc-gem-ms-small", "isc-gem-mb", OURS] });
    expect(answer).toMatchObject({
      status: 200,
      body: { version: 2, converted: 2, outOfRange: 1 },
    });
    expect(answer.headers.get("etag")).toBe('"2"');
    const after = await eventsOf(id);
    expect(after.get("a")).toEqual({
      ...before.get("a"),
      magnitude: 5.11,
      magnitude_type: "Mw",
      magnitude_uncertainty: expect.closeTo(Math.hypot(1.38 * 0.1, 0.3), 10),
      extra: {
        note: "kept",
        converted_from: {
          magnitude: 5,
          magnitude_type: "mb",
          magnitude_uncertainty: 0.1,
          conversion: "isc-gem-mb",
        },
      },
    });
    expect(after.get("d")).toMatchObject({ magnitude: 6.418, magnitude_uncertainty: 0.2 });
    for (const name of ["b", "c", "e", "f"]) expect(after.get(name)).toEqual(before.get(name));
    const { body } = await editor.get<Catalogue>(`/api/catalogues/${id}`);
    expect(body).toMatchObject({ version: 2, min_magnitude: 3.9, max_magnitude: 6.418 });
    const versions = await editor.get<{ versions: object[] }>(`/api/catalogues/${id}/versions`);
    expect(versions.body.versions[0]).toMatchObject({ cause: "edit", updated: 2, added: 0 });
  });

  test("looks at the events that satisfy the filters, and at an agency's where it is for one", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        mb("a", 5, { agency_id: "ISC" }),
        mb("b", 5, { agency_id: "NEIC", depth: 100 }),
        mb("c", 5, { agency_id: "neic" }),
      ],
    });
    const conversion = { ...OURS, from: "mb", agency: "NEIC" };
    const { body } = await convert(id, {
      conversions: [conversion],
      filters: { maxDepth: 50, magnitudeType: "mb,Mw" },
    });
    expect(body).toEqual({ version: 2, converted: 1, outOfRange: 0 });
    expect((await eventsOf(id)).get("c")).toMatchObject({ magnitude: 4.5, magnitude_type: "Mw" });
  });

  test("keeps the first original of a magnitude that is converted again", async () => {
    const { id } = await createCatalogue(editor, { events: [mb("a", 5)] });
    await convert(id, { conversions: ["isc-gem-mb"] });
    await convert(id, { conversions: [{ ...OURS, from: "Mw", to: "Me" }] });
    expect((await eventsOf(id)).get("a")?.extra?.["converted_from"]).toMatchObject({
      magnitude: 5.11,
      magnitude_type: "Mw",
      conversion: OURS.name,
      converted_from: { magnitude: 5, magnitude_type: "mb", conversion: "isc-gem-mb" },
    });
  });

  test("puts a magnitude of its own into a bulletin, beside the original", async () => {
    const given = smallBulletin();
    const { id } = await createCatalogue(editor, {
      events: [{ bulletin: given }, mb("b", 5)],
    });
    const conversion = { ...OURS, from: "Mw", to: "Mw(GEM)" };
    expect((await convert(id, { conversions: [conversion] })).body.converted).toBe(1);
    const [event] = [...(await eventsOf(id)).values()].filter(
      (one) => one.magnitude_type === "Mw(GEM)",
    );
    expect(event).toMatchObject({
      magnitude: 4.25,
      depth: 12.3,
      magnitude_uncertainty: expect.closeTo(Math.hypot(0.1, 0.25), 10),
    });
    const bulletin = await bulletinOf(id, event?.id ?? "");
    const [first, second, made] = bulletin.magnitude ?? [];
    expect([first, second]).toEqual(given.magnitude);
    expect(made).toMatchObject({
      publicID: bulletin.preferredMagnitudeID,
      mag: { value: 4.25 },
      type: "Mw(GEM)",
      originID: given.preferredOriginID,
      methodID: "smi:local.catalogue/conversion/Ours-of-ML",
      creationInfo: { agencyID: "WEL", version: "2" },
    });
    // What else was said of the event stays.
    expect(bulletin.pick).toEqual(given.pick);
    // A magnitude that was converted once may be again: nothing is replaced.
    const again = { ...OURS, name: "again", from: "Mw(GEM)" };
    await convert(id, { conversions: [again] });
    expect((await bulletinOf(id, event?.id ?? "")).magnitude).toHaveLength(4);
  });

  test("comes back from JSON and QuakeML as it was", async () => {
    const { id } = await createCatalogue(editor, {
      events: [
        { bulletin: smallBulletin() },
        mb("b", 5, { magnitude_method_id: "smi:local.test/mb", magnitude_agency_id: "NEIC" }),
      ],
    });
    await convert(id, { conversions: ["isc-gem-mb", { ...OURS, from: "Mw" }] });
    const json = await editor.get<{ events: object[] }>(
      `/api/catalogues/${id}/export?format=json&include=bulletin`,
    );
    const copy = await createCatalogue(editor, { events: json.body.events });
    const known = [...(await eventsOf(id)).values()].map(contentOf);
    expect([...(await eventsOf(copy.id)).values()].map(contentOf)).toEqual(known);
    const xml = await editor.get<string>(`/api/catalogues/${id}/export?format=quakeml`);
    // Of an event without a bulletin too, other programs learn that the magnitude was converted.
    expect(xml.body).toContain("<methodID>smi:local.catalogue/conversion/isc-gem-mb</methodID>");
    const form = fileForm(xml.body, { fileName: "events.xml" });
    const kept = await editor.send<{ uploadId: string }>("POST", "/api/upload?keep=true", form);
    const { uploadId } = kept.body;
    const read = await editor.send<Catalogue>("POST", "/api/catalogues", {
      name: "read",
      uploadId,
    });
    expect(read.status, JSON.stringify(read.body)).toBe(201);
    const rows = [...(await eventsOf(read.body.id)).values()];
    for (const { magnitude, extra } of known) {
      expect(rows.find((row) => row.magnitude === magnitude)?.extra).toMatchObject({
        converted_from: extra?.["converted_from"],
      });
    }
  });

  test("is told of as long as the magnitude is the converted one", async () => {
    const events = [{ bulletin: smallBulletin() }, mb("b", 5), mb("c", 5)];
    const { id } = await createCatalogue(editor, { events });
    const form = { conversions: ["isc-gem-mb", { ...OURS, from: "Mw", to: "Mx" }] };
    expect((await convert(id, form)).body.converted).toBe(3);
    const before = await eventsOf(id);
    const whole = [...before.values()].find((event) => event.magnitude_type === "Mx");
    // Its source says again what it has said: what was made of it here stays preferred.
    const path = `/api/catalogues/${id}/events`;
    await editor.send("POST", path, { events: [events[0]], updateExisting: true });
    expect((await eventsOf(id)).get(whole?.source_id ?? null)).toMatchObject({
      magnitude: 4.25,
      extra: { converted_from: whole?.extra?.["converted_from"] },
    });
    // By hand another magnitude, or another depth.
    for (const one of [whole, before.get("b")]) {
      await editor.send("PATCH", `${path}/${one?.id}`, { magnitude: 6 });
    }
    await editor.send("PATCH", `${path}/${before.get("c")?.id}`, { depth: 3 });
    const after = await eventsOf(id);
    expect(after.get(whole?.source_id ?? null)?.extra).not.toHaveProperty("converted_from");
    expect(after.get("b")?.extra).toBeNull();
    expect(after.get("c")?.extra).toEqual(before.get("c")?.extra);
    const bulletin = await bulletinOf(id, whole?.id ?? "");
    expect(bulletin.magnitude?.at(-1)).toMatchObject({ mag: { value: 6 }, type: "Mx" });
    expect(bulletin.magnitude?.at(-1)).not.toHaveProperty("methodID");
  });

  test("is done once by its key, in the background where it is asked to, and makes no version where nothing fits", async () => {
    const { id } = await createCatalogue(editor, {
      events: [mb("a", 5), mb("b", 7), mb("c", null)],
    });
    const form = { conversions: ["isc-gem-mb"] };
    const headers = { ...keyed(), prefer: "respond-async" };
    const to = `/api/catalogues/${id}/conversions?reason=homogeneous`;
    const asked = () => editor.send<{ operationId: string }>("POST", to, form, headers);
    const { status, body } = await asked();
    expect(status).toBe(202);
    const result = { version: 2, converted: 1, outOfRange: 1 };
    expect((await endOf(editor, body.operationId)).result).toEqual(result);
    expect((await asked()).body).toEqual(body);
    expect((await convert(id, form)).body).toEqual({ ...result, converted: 0 });
  });

  test("is refused while another change is open, where the catalogue has changed, and without what can be", async () => {
    const { id } = await createCatalogue(editor, { events: [mb("a", 5)] });
    const form = { conversions: ["isc-gem-mb"] };
    await whileRevisionIsOpen(service, id, async () => {
      expectRefusal(await convert(id, form), "CONFLICT");
    });
    expectRefusal(await convert(id, form, { "if-match": '"7"' }), "PRECONDITION_FAILED");
    for (const [body, words] of [
      [{ conversions: [] }, "conversions"],
      [{ conversions: ["isc-gem"] }, "conversions"],
      [{ conversions: [{ ...OURS, range: [9, 2] }] }, "range"],
      [{ ...form, filters: { minDepth: 9, maxDepth: 2 } }, "minDepth"],
      [{ ...form, filters: { depth: 9 } }, "filters"],
    ] as const) {
      const refused = expectRefusal(await convert(id, body), "VALIDATION_ERROR");
      expect(JSON.stringify(refused)).toContain(words);
    }
    expect((await convert(id, form, { "if-match": '"1"' })).status).toBe(200);
  });
});

function contentOf({ id: _, ...event }: SeismicEvent) {
  return event;
}
