import { describe, expect, test } from "vitest";
import type { AuditEntry } from "#contracts/http/audit.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { merge, sourceOf } from "../../support/api/merges.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const admin = service.client("admin");

type Page = { entries: AuditEntry[]; next: string | null };

const page = async (query: string) =>
  (await admin.get<Page>(`/api/audit?deeds=true&order=desc&${query}`)).body;

const deedsOf = async (id: string) => (await page(`subject=catalogue-${id}`)).entries;

/** A catalogue of two events, of which the first is `a`. */
async function twoEvents() {
  const events = [
    seismicEvent({ id: "a", magnitude: 2, region: "Kaikōura" }),
    seismicEvent({ id: "b", time: "2010-01-01T00:00:00Z" }),
  ];
  const { id } = await createCatalogue(editor, { name: "Audited", events });
  const { body } = await editor.get<{ events: SeismicEvent[] }>(`/api/catalogues/${id}/events`);
  return { id, path: `/api/catalogues/${id}/events/${body.events[0]?.id}`, event: body.events[0] };
}

describe("the audit by deeds", () => {
  test("has one entry a deed, with the catalogue's name, the reason, and old and new values", async () => {
    const { id, path, event } = await twoEvents();
    await editor.send("PATCH", `${path}?reason=relocated`, { magnitude: 2.6, extra: { by: 1 } });
    await editor.send("DELETE", path);
    await editor.send("POST", `${path}/restore?reason=by+mistake`, { version: 2 });
    await editor.send("POST", `/api/catalogues/${id}/versions/1/restore`);
    const deeds = await deedsOf(id);
    expect(deeds.map(({ deed }) => deed?.summary)).toEqual([
      "Catalogue restored as it was in version 1: event changed",
      "Event restored as it was in version 2",
      "Event removed",
      "Event changed",
      "Catalogue created with 2 events",
    ]);
    const catalogue = { id, name: "Audited", is_deleted: false };
    for (const { deed } of deeds) expect(deed?.catalogue).toEqual(catalogue);
    expect(deeds.map(({ deed }) => [deed?.version, deed?.reason, deed?.restores])).toEqual([
      [5, null, 1],
      [4, "by mistake", 2],
      [3, null, null],
      [2, "relocated", null],
      [1, null, null],
    ]);
    const shown = { id: event?.id, time: event?.time, region: "Kaikōura" };
    expect(deeds.map(({ deed }) => deed?.events)).toMatchObject([
      [{ change: "updated", event: shown, changed: [{ name: "magnitude", from: 2.6, to: 2 }, {}] }],
      [{ change: "added", event: { ...shown, magnitude: 2.6 }, changed: [] }],
      [{ change: "removed", event: { ...shown, magnitude: 2.6 }, changed: [] }],
      [
        {
          change: "updated",
          event: { ...shown, magnitude: 2.6 },
          changed: [{ name: "magnitude", from: 2, to: 2.6 }, { name: "extra" }],
        },
      ],
      [{ change: "added" }, { change: "added" }],
    ]);
    expect(deeds[3]?.deed?.events[0]?.changed[1]).toEqual({ name: "extra" });
  });

  test("tells of bulletins that changed, and of no event where many did", async () => {
    const { id } = await createCatalogue(editor, { events: [{ bulletin: smallBulletin() }] });
    const { body } = await editor.get<{ events: SeismicEvent[] }>(`/api/catalogues/${id}/events`);
    const path = `/api/catalogues/${id}/events`;
    await editor.send("POST", `${path}/${body.events[0]?.id}/comments`, { text: "felt" });
    await editor.send("POST", path, { events: [...generateEvents(1, 4)] });
    const deeds = await deedsOf(id);
    expect(deeds.map(({ deed }) => deed?.summary)).toEqual([
      "4 events added",
      "Event changed",
      "Catalogue created with 1 event",
    ]);
    expect(deeds[0]?.deed?.events).toEqual([]);
    expect(deeds[1]?.deed?.events[0]?.changed).toEqual([{ name: "bulletin" }]);
  });

  test("names deleted catalogues still, and merged ones by what they were made of", async () => {
    const sources = [
      await sourceOf(editor, "one", [seismicEvent()]),
      await sourceOf(editor, "other", [seismicEvent()]),
    ];
    const { catalogueId } = await merge(editor, sources);
    await editor.send("PATCH", `/api/catalogues/${catalogueId}`, { name: "Renamed" });
    await editor.send("DELETE", `/api/catalogues/${catalogueId}`);
    const deeds = await deedsOf(catalogueId);
    expect(deeds.map(({ deed }) => deed?.summary)).toEqual([
      "Catalogue deleted",
      'Catalogue renamed to "Renamed"',
      "Merged from 2 catalogues: 1 event",
    ]);
    for (const { deed } of deeds) {
      expect(deed).toMatchObject({
        catalogue: { id: catalogueId, name: "Renamed", is_deleted: true },
        events: [],
      });
    }
  });

  test("is about accounts too, which have one entry for their registration", async () => {
    const { id } = await newAccount(service, "viewer");
    await admin.send("PATCH", `/api/users/${id}`, { role: "editor" });
    const { entries } = await page(`subject=user-${id}`);
    expect(
      entries
        .map(({ type }) => type)
        .toReversed()
        .slice(0, 1),
    ).toEqual(["UserRegistered"]);
    expect(entries[0]).toMatchObject({
      type: "UserRoleChanged",
      deed: {
        summary: expect.any(String),
        catalogue: null,
        version: null,
        reason: null,
        restores: null,
        events: [],
      },
    });
  });

  test("pages like the log, newest or oldest first, and takes its filters", async () => {
    const { id, path } = await twoEvents();
    for (const depth of [1, 2, 3]) await editor.send("PATCH", path, { depth });
    const all = await deedsOf(id);
    const paged: AuditEntry[] = [];
    for (let before: string | null = ""; before !== null; ) {
      const { entries, next }: Page = await page(
        `subject=catalogue-${id}&limit=3${before && `&before=${before}`}`,
      );
      expect(entries.length).toBeLessThanOrEqual(3);
      paged.push(...entries);
      before = next;
    }
    expect(paged).toEqual(all);
    const oldest = await admin.get<Page>(`/api/audit?deeds=true&catalogueId=${id}`);
    expect(oldest.body.entries).toEqual(all.toReversed());
    const steps = await page(`subject=catalogue-${id}&type=RevisionOpened`);
    expect(steps.entries).toEqual([]);
  });

  test("is asked for: the log itself has no deeds", async () => {
    const { id } = await twoEvents();
    const { body } = await admin.get<Page>(`/api/audit?deeds=false&catalogueId=${id}`);
    expect(body.entries.map(({ type }) => type)).toContain("RevisionOpened");
    for (const entry of body.entries) expect(entry).not.toHaveProperty("deed");
    const [deed] = await deedsOf(id);
    const steps = body.entries.filter(({ command }) => command === deed?.command);
    expect(steps.map(({ type }) => type)).toEqual([
      "CatalogueCreated",
      "RevisionOpened",
      "SeismicEventsRecorded",
      "RevisionCommitted",
    ]);
    expect(steps.at(-1)?.summary).toBe(deed?.summary);
  });
});
