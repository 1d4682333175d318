import { expect, test } from "vitest";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

const EVENT = { time: "2020-01-01T00:00:00Z", latitude: -41, longitude: 174, magnitude: 4 };

test("a misspelt attribute of a patch is kept in extra, and the answer says which is meant", async () => {
  const editor = await service.loginAs("editor");
  const { id, eventId } = await oneEvent(editor);
  const { body } = await editor.send("PATCH", `/api/catalogues/${id}/events/${eventId}`, {
    dept: 7.3,
    magnitude: 5,
  });
  expect(body).toMatchObject({
    event: { magnitude: 5, extra: { dept: 7.3 } },
    warnings: [
      {
        path: "dept",
        message: "is no attribute of events and is kept in extra; do you mean depth?",
      },
    ],
  });
});

test("an answer without unknown members has no warnings", async () => {
  const editor = await service.loginAs("editor");
  const { id, eventId } = await oneEvent(editor);
  const { body } = await editor.send("PATCH", `/api/catalogues/${id}/events/${eventId}`, {
    depth: 7,
  });
  expect(body).not.toHaveProperty("warnings");
});

test("unknown members beside submitted events are named, those of the events not", async () => {
  const editor = await service.loginAs("editor");
  const created = await editor.send<{ id: string }>("POST", "/api/catalogues", {
    name: "warned",
    is_pubic: true,
    events: [{ ...EVENT, dept: 3 }],
  });
  expect(created).toMatchObject({
    status: 201,
    body: { warnings: [{ path: "is_pubic", message: expect.stringContaining("is_public") }] },
  });
  const added = await editor.send("POST", `/api/catalogues/${created.body.id}/events`, {
    events: [],
    updateExistng: true,
  });
  expect(added).toMatchObject({
    status: 200,
    body: { warnings: [{ path: "updateExistng" }] },
  });
});

test("a repeated request with a key is answered with the same warnings", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor);
  const rename = () =>
    editor.send(
      "PATCH",
      `/api/catalogues/${id}`,
      { name: "x", nmae: "y" },
      { "idempotency-key": id },
    );
  const first = await rename();
  expect(first.body).toEqual({
    success: true,
    warnings: [{ path: "nmae", message: "is not known and has no effect; do you mean name?" }],
  });
  expect((await rename()).body).toEqual(first.body);
});

test("a merge names what it prefers and no source has", async () => {
  const editor = await service.loginAs("editor");
  const [a, b] = [await createCatalogue(editor), await createCatalogue(editor)];
  const body = {
    name: "merged",
    sourceCatalogues: [
      { id: a.id, name: "not looked at", events: 3, source: "GeoNet" },
      { id: b.id, source: "ISC" },
    ],
    config: {
      timeThreshold: 5,
      distanceThreshold: 20,
      mergeStrategy: "priority",
      priority: "Geonett",
      prefer: { magnitude: ["nobody", "source:isc", "source:none"] },
      linkages: "nearest",
    },
  };
  const warnings = [
    { path: "config.linkages", message: expect.stringContaining("linkage?") },
    { path: "config.priority", message: "no source has the label Geonett" },
    { path: "config.prefer.magnitude.0", message: "no event of the sources is of agency nobody" },
    { path: "config.prefer.magnitude.2", message: "no source has the label none" },
  ];
  expect(await editor.send("POST", "/api/merge/preview", body)).toMatchObject({
    status: 200,
    body: { warnings },
  });
  expect(await editor.send("POST", "/api/merge", body)).toMatchObject({
    status: 200,
    body: { warnings },
  });
});

type Client = Awaited<ReturnType<typeof service.loginAs>>;

async function oneEvent(editor: Client): Promise<{ id: string; eventId: string }> {
  const { id } = (
    await editor.send<{ id: string }>("POST", "/api/catalogues", { name: "one", events: [EVENT] })
  ).body;
  const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
  return { id, eventId: body.events[0]?.id ?? "" };
}
