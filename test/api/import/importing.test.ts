import { describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { eventsOf, historyOf, importEvents, imported, useImports } from "./import-scene.ts";

const EVENTS = 1_500;
const scene = useImports({ events: servedEvents(1, EVENTS), cap: 1_000 });

describe("an import without a catalogue", () => {
  test.each(["full", "summary"] as const)(
    "an import without a catalogue makes one of all events, %s",
    async (detail) => {
      const editor = await scene.service.loginAs("editor");
      const result = await imported(editor, { detail });
      const kept = { read: EVENTS, kept: EVENTS, dropped: 0 };
      const elements = expect.objectContaining({ event: kept, origin: kept });
      const whole = detail === "full" ? { elements } : {};
      expect(result).toEqual({
        success: true,
        catalogueId: expect.any(String),
        catalogueName: expect.stringMatching(
          /^Test agency import \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
        ),
        version: 1,
        totalFetched: EVENTS,
        newEvents: EVENTS,
        updatedEvents: 0,
        skippedEvents: 0,
        skippedReasons: { existing: 0, unchanged: 0, excluded: 0, rejected: 0 },
        errors: [],
        ...whole,
      });
      const { body: catalogue } = await editor.get<Catalogue>(
        `/api/catalogues/${result.catalogueId}`,
      );
      expect(catalogue).toMatchObject({ status: "active", version: 1, event_count: EVENTS });
      expect((await eventsOf(editor, result.catalogueId)).size).toBe(EVENTS);
      expect(await historyOf(editor, result.catalogueId)).toEqual([
        {
          id: expect.any(String),
          schedule_id: null,
          catalogue_id: result.catalogueId,
          start_time: expect.stringMatching(/Z$/),
          end_time: expect.stringMatching(/Z$/),
          window_start: "2014-01-01T00:00:00Z",
          window_end: "2024-01-01T00:00:00Z",
          total_fetched: EVENTS,
          new_events: EVENTS,
          updated_events: 0,
          skipped_events: 0,
          errors: null,
          created_at: expect.stringMatching(/Z$/),
          ...whole,
        },
      ]);
    },
  );

  test("an import without a catalogue makes a restricted one on demand, and changes the access of none that is there", async () => {
    const editor = await scene.service.loginAs("editor");
    const { catalogueId } = await imported(editor, { access: "restricted", detail: "summary" });
    const path = `/api/catalogues/${catalogueId}`;
    expect((await editor.get<Catalogue>(path)).body).toMatchObject({ access: "restricted" });
    expect((await (await scene.service.loginAs("viewer")).get(path)).status).toBe(404);
    const { status, body } = await importEvents(editor, { catalogueId, access: "public" });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: "access" }] });
  });
});
