import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogue.ts";
import type { EventChange } from "#contracts/http/events/single-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { keyed } from "../../support/api/keyed.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
const eventsOf = (id: string, query = "") => listEvents(editor, id, query);
const versionsOf = async (id: string) =>
  (await editor.get<{ versions: CatalogueVersion[] }>(`/api/catalogues/${id}/versions`)).body
    .versions;
const restore = (id: string, version: number | string, headers?: Record<string, string>) =>
  editor.send<{ version: number }>(
    "POST",
    `/api/catalogues/${id}/versions/${version}/restore`,
    undefined,
    headers,
  );

const arbitraryMagnitude = fc.double({ min: -1, max: 9, noNaN: true });
const arbitraryStep = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), magnitude: arbitraryMagnitude }),
  fc.record({
    kind: fc.constant("change" as const),
    which: fc.nat(),
    magnitude: arbitraryMagnitude,
    extra: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
    }),
  }),
  fc.record({ kind: fc.constant("remove" as const), which: fc.nat() }),
  fc.record({ kind: fc.constant("restore" as const), which: fc.nat() }),
);
type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

let added = 0;

async function take(id: string, step: Step): Promise<void> {
  const path = `/api/catalogues/${id}/events`;
  if (step.kind === "add") {
    added += 1;
    const event = seismicEvent({
      id: `e${added}`,
      magnitude: step.magnitude,
      latitude: added % 90,
    });
    await editor.send("POST", path, { events: [event] });
    return;
  }
  if (step.kind === "restore") {
    const { version } = (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body;
    await restore(id, (step.which % version) + 1);
    return;
  }
  const events = await eventsOf(id);
  const event = events[step.which % events.length];
  if (event === undefined) return;
  if (step.kind === "remove") await editor.send("DELETE", `${path}/${event.id}`);
  else {
    const { magnitude, extra } = step;
    await editor.send("PATCH", `${path}/${event.id}`, { magnitude, extra });
  }
}

describe("restoring a version", () => {
  test("whatever was done, a restored version differs in nothing from the one that it repeats", async () => {
    const steps = fc.array(arbitraryStep, { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (given, which) => {
        const { id } = await createCatalogue(editor);
        for (const step of given) await take(id, step);
        const versions = await versionsOf(id);
        const wanted = versions[which % versions.length]?.version ?? 1;
        const { version } = (await restore(id, wanted)).body;
        const { body } = await editor.get<{ changes: unknown[] }>(
          `/api/catalogues/${id}/versions/${version}/diff?from=${wanted}`,
        );
        expect(body).toMatchObject({ added: 0, updated: 0, removed: 0, changes: [] });
        expect(await eventsOf(id)).toEqual(await eventsOf(id, `asOf=${wanted}`));
        const now = (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body;
        expect(now.event_count).toBe((await eventsOf(id)).length);
        const latitudes = (await eventsOf(id)).map(({ latitude }) => latitude);
        expect(now.min_latitude).toBe(latitudes.length > 0 ? Math.min(...latitudes) : null);
      }),
      { numRuns: runs(12) },
    );
  });

  test("a restore is a version of its own, with cause and counts, and events keep their ids", async () => {
    const { id } = await createCatalogue(editor, {
      events: [seismicEvent({ id: "a" }), seismicEvent({ id: "b" })],
    });
    const before = await eventsOf(id);
    const [gone] = before;
    await editor.send("DELETE", `/api/catalogues/${id}/events/${gone?.id}`);
    const answer = await restore(id, 1);
    expect(answer).toMatchObject({ status: 200, body: { version: 3 } });
    expect(answer.headers.get("etag")).toBe('"3"');
    expect(await eventsOf(id)).toEqual(before);
    expect((await versionsOf(id))[0]).toMatchObject({
      cause: "restore",
      added: 1,
      updated: 0,
      removed: 0,
    });
    const history = `/api/catalogues/${id}/events/${gone?.id}/history`;
    const { body } = await editor.get<{ history: EventChange[] }>(history);
    expect(body.history).toMatchObject([
      { version: 3, change: "added", cause: "restore", restores: 1, actor: expect.any(String) },
      { version: 2, change: "removed", cause: "edit", restores: null },
      { version: 1, change: "added", cause: "created", import: null, sources: null },
    ]);
  });

  test("restoring what is already so makes no version, and what is not there is not found", async () => {
    const { id, change } = await oneEvent(editor);
    await change({ magnitude: 1 });
    await change({ magnitude: 7.8 });
    expect((await restore(id, 3)).body).toEqual({ version: 3 });
    expect((await restore(id, 1)).body).toEqual({ version: 3 });
    for (const version of ["0", "9", "x", "1.5"]) {
      expectRefusal(await restore(id, version), "NOT_FOUND");
    }
  });

  test("two at once make the version once; a condition that no longer holds is refused, a key answers as the first time", async () => {
    const { id, catalogue, send } = await oneEvent(editor);
    await send("DELETE", "");
    expectRefusal(await restore(id, 1, { "if-match": '"1"' }), "PRECONDITION_FAILED");
    const answers = await Promise.all([restore(id, 1), restore(id, 1), restore(id, 1)]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect((await editor.get<Catalogue>(catalogue)).body.version).toBe(3);
    const other = await oneEvent(editor);
    await other.send("DELETE", "");
    const key = keyed();
    const first = await restore(other.id, 1, key);
    expect(first.body).toEqual({ version: 3 });
    await other.send("DELETE", "");
    expect((await restore(other.id, 1, key)).body).toEqual(first.body);
    expect(await eventsOf(other.id)).toEqual([]);
  });
});
