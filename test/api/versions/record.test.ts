import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { describe, expect, test } from "vitest";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { hashInPython } from "../../support/api/hash-in-python.ts";
import { merge } from "../../support/api/merges.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { cli } from "../../support/cli.ts";
import { withClient } from "../../support/database-template.ts";
import { useService } from "../../support/service.ts";

const service = useService();
const editor = service.client("editor");
const guest = service.client("guest");
const EVENTS = [
  seismicEvent({ id: "a", extra: { "\u{1f30f}": 1e21, é: [-0, 1e-7] }, region: "Ōtaki" }),
  seismicEvent({ id: "b", magnitude: 5e-324, depth: null, longitude: 180 }),
  seismicEvent({ id: "c", latitude: -0.00001, time: "1931-02-02T22:46:00.120000Z" }),
];

const recordOf = async (id: string, version: number, client = editor) =>
  client.get<{ version: VersionRecord }>(`/api/catalogues/${id}/versions/${version}`);

async function exportOf(id: string, version: number): Promise<string> {
  const path = `/api/catalogues/${id}/export?format=json&asOf=${version}`;
  return (await editor.stream(path)).text();
}

/** What anybody makes of a JSON export. */
function hashOfExport(text: string): string {
  const { events } = JSON.parse(text) as { events: SeismicEvent[] };
  const lines = events.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((e) => canonicalize(e));
  return createHash("sha256")
    .update(lines.map((line) => `${line}\n`).join(""))
    .digest("hex");
}

describe("the record of a version", () => {
  test("the record of a version tells what it changed, and the hash that its JSON export has", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS });
    const { body } = await editor.get<{ events: SeismicEvent[] }>(`/api/catalogues/${id}/events`);
    await editor.send("DELETE", `/api/catalogues/${id}/events/${body.events[0]?.id}`);
    const first = await recordOf(id, 1);
    expect(first.body.version).toMatchObject({
      version: 1,
      cause: "created",
      actor: expect.stringMatching(/^user_/),
      added: 3,
      updated: 0,
      removed: 0,
      event_count: 3,
      bounds: { max_longitude: 180, start_time: "1931-02-02T22:46:00.120000Z" },
      sha256: hashOfExport(await exportOf(id, 1)),
      previous: null,
      sources: [],
    });
    expect(first.headers.get("etag")).toBe('"1"');
    // Many who ask at once get the one hash, which a script of another language computes too.
    const answers = await Promise.all(Array.from({ length: 20 }, () => recordOf(id, 1)));
    for (const { body: again } of answers) expect(again).toEqual(first.body);
    expect(await hashInPython(await exportOf(id, 1))).toBe(first.body.version.sha256);
    const second = (await recordOf(id, 2)).body.version;
    expect(second).toMatchObject({ removed: 1, event_count: 2, previous: 1, cause: "edit" });
    expect(second.sha256).toBe(hashOfExport(await exportOf(id, 2)));
    await editor.send("POST", `/api/catalogues/${id}/versions/1/restore`);
    expect((await recordOf(id, 3)).body.version.sha256).toBe(first.body.version.sha256);
  });

  test("a merged version names its sources with their hashes, which guests see of public ones", async () => {
    const open = await createCatalogue(editor, { events: EVENTS, is_public: true });
    const hidden = await createCatalogue(editor, { events: EVENTS.slice(0, 2) });
    const sourceCatalogues = [open, hidden].map(({ id }, i) => ({ id, source: `s${i}` }));
    const config = { timeThreshold: 1, distanceThreshold: 1 };
    const { catalogueId: id } = await merge(editor, sourceCatalogues, config);
    const shaOf = async (source: string) => (await recordOf(source, 1)).body.version.sha256;
    const { sources } = (await recordOf(id, 1)).body.version;
    expect(sources).toEqual([
      { catalogue_id: open.id, version: 1, sha256: await shaOf(open.id) },
      { catalogue_id: hidden.id, version: 1, sha256: await shaOf(hidden.id) },
    ]);
    await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    const asGuest = await recordOf(id, 1, guest);
    expect(asGuest.body.version).toMatchObject({ actor: null, sources: [sources[0], {}] });
    expect(asGuest.body.version.sources[1]?.sha256).toBeNull();
    expect(asGuest.headers.get("cache-control")).toBe("public, max-age=3600");
  });

  test("versions before the publication are not there for guests", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS });
    expectRefusal(await recordOf(id, 1, guest), "UNAUTHENTICATED");
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: [seismicEvent()] });
    await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    expectRefusal(await recordOf(id, 1, guest), "NOT_FOUND");
    expect((await recordOf(id, 2, guest)).status).toBe(200);
    expectRefusal(await recordOf(id, 3), "NOT_FOUND");
    expectRefusal(await editor.get(`/api/catalogues/${id}/versions/2?x=1`), "VALIDATION_ERROR");
  });

  test("of a deleted catalogue the record is left to those who could read it", async () => {
    const { id } = await createCatalogue(editor, { events: EVENTS, is_public: true });
    const { body } = await recordOf(id, 1, guest);
    const cited = await guest.get(`/api/catalogues/${id}/versions/1/citation`);
    const hidden = await createCatalogue(editor, { events: EVENTS });
    for (const gone of [id, hidden.id]) await editor.send("DELETE", `/api/catalogues/${gone}`);
    const gone = await recordOf(id, 1, guest);
    expect(gone.status).toBe(410);
    expect(gone.body).toEqual({
      error: "The catalogue was deleted",
      code: "GONE",
      ...body,
      citation: cited.body,
    });
    const citation = await guest.get(`/api/catalogues/${id}/versions/1/citation`);
    expect([citation.status, citation.body]).toEqual([200, cited.body]);
    expectRefusal(await recordOf(hidden.id, 1, guest), "NOT_FOUND");
    expect((await recordOf(hidden.id, 1)).body.version).toMatchObject({ sha256: null, added: 3 });
  });
});

test("the command verify computes remembered hashes again, and says which are wrong", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  await recordOf(id, 1);
  const env = { DATABASE_URL: service.databaseUrl, ...service.log.variables };
  const whole = await cli(env, "verify", "catalogues");
  expect(whole.exitCode).toBe(0);
  expect(whole.lines.at(-1)).toMatch(/^versions: \d+ hashes computed again, 0 wrong/);
  await withClient(service.databaseUrl, (database) =>
    database.query(
      "update operations.version_hashes set sha256 = repeat('0', 64) where catalogue_id = $1",
      [id],
    ),
  );
  const { exitCode, lines } = await cli(env, "verify", "catalogues");
  expect(exitCode).toBe(1);
  expect(lines.at(-1)).toContain(`version 1 of ${id}: remembered 0000`);
});
