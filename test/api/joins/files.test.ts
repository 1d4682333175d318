import { beforeAll, expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sample } from "../../support/formats/sample.ts";
import { sharedService } from "../../support/service.ts";
import { catalogueOfFile, keepFile, wholeEvents } from "../bulletins/files/events-of-file.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { keyed } from "../support/keyed.ts";
import { endOf } from "../support/operations.ts";
import { EVENTS, type JoinAnswer, joinFile, MOMENT_TENSORS } from "./join-file.ts";

const NUMBERS = "-1234.5 2000.0 -10.5 100.0 200.0 300.0 2024 03 01 00 00 60.000 3.5";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

test("solutions of the Global CMT project come to the events with their names, which show their own magnitudes still", async () => {
  const given = [{ ...EVENTS[0], source_id: "B202012312359A", extra: null }];
  const { id } = await createCatalogue(editor, { events: given });
  const content = sample("ndk/andes.ndk") + sample("ndk/ridge.ndk");
  const { body } = await joinFile(editor, id, content, { fileName: "events.ndk" });
  expect(body).toMatchObject({ version: 2, updatedEvents: 1, unmatchedCount: 1 });
  expect(body.validationReport.elements?.["focalMechanism"]).toEqual({
    read: 2,
    kept: 1,
    dropped: 1,
  });
  const [event] = await wholeEvents(editor, id);
  expect(event).toMatchObject({ ...given[0], focal_mechanisms: [{}] });
  expect(event?.bulletin.origin).toHaveLength(3);
  const again = await joinFile(editor, id, content, { fileName: "events.ndk" });
  expect(again.body).toMatchObject({ version: 2, skippedEvents: 1 });
});

test("relocations of hypoDD are shown where they are preferred, the readings stay", async () => {
  const { id, events: before } = await catalogueOfFile(
    editor,
    sample("hypodd/phases.pha"),
    "events.pha",
  );
  const line = `7 60.000000 7.500000 9.250 ${NUMBERS} 12 8 30 25 0.010 0.123 1\n`;
  const options = { fileName: "events.reloc" };
  expect((await joinFile(editor, id, line, options)).body).toMatchObject({ updatedEvents: 1 });
  const seventh = async () => (await wholeEvents(editor, id)).find((e) => e.source_id === "7");
  const former = before.find(({ source_id }) => source_id === "7");
  expect(await seventh()).toMatchObject({ latitude: former?.latitude, depth: former?.depth });
  await joinFile(editor, id, line, { ...options, preferred: true });
  const after = await seventh();
  expect(after).toMatchObject({ latitude: 60, longitude: 7.5, depth: 9.25 });
  expect(after?.bulletin.origin).toHaveLength(2);
  expect(after?.bulletin.pick).toEqual(former?.bulletin.pick);
});

test("rows find an event by an id that it had, unless another has it now", async () => {
  const { body } = await createCatalogue(editor, { events: [EVENTS[1]] }).then(({ id }) =>
    editor
      .get<{ events: SeismicEvent[] }>(`/api/catalogues/${id}/events`)
      .then(({ body: list }) => ({
        body: { id, events: list.events },
      })),
  );
  const { id, events } = body;
  const [event] = events;
  const path = `/api/catalogues/${id}/events`;
  const renamed = await editor.send("PATCH", `${path}/${event?.id}`, { source_id: "2016p858000a" });
  expect(renamed.status).toBe(200);
  const table = "id,mw\n2016p858000,7.8\n";
  expect((await joinFile(editor, id, table)).body).toMatchObject({
    version: 3,
    updatedEvents: 1,
    unmatchedCount: 0,
  });
  await editor.send("POST", path, { events: [EVENTS[1]] });
  const { body: joined } = await joinFile(editor, id, table.replace("7.8", "7.9"), {});
  expect(joined).toMatchObject({ version: 5, updatedEvents: 1 });
  const after = await wholeEvents(editor, id);
  const values = after.map(({ source_id: name, bulletin }) => [
    name,
    bulletin?.magnitude?.at(-1)?.mag.value,
  ]);
  expect(Object.fromEntries(values)).toEqual({ "2016p858000a": 7.8, "2016p858000": 7.9 });
});

test("a join is done once by its key, also when nobody waits for it, and has its reason", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  const { uploadId } = await keepFile(editor, MOMENT_TENSORS, "table.csv");
  const path = `/api/catalogues/${id}/events?reason=moment%20tensors`;
  const headers = { ...keyed(), prefer: "respond-async" };
  const body = { uploadId, join: "source_id" };
  const started = await editor.send<{ operationId: string }>("POST", path, body, headers);
  expect(started.status).toBe(202);
  const { result, status } = await endOf(editor, started.body.operationId);
  expect(status).toBe("succeeded");
  expect(result).toMatchObject({ version: 2, updatedEvents: 2, unmatchedCount: 1 });
  const again = await editor.send<JoinAnswer>("POST", path, body, headers);
  expect(again.body).toEqual(started.body);
  const [event] = await wholeEvents(editor, id);
  const { body: told } = await editor.get<{ history: readonly object[] }>(
    `/api/catalogues/${id}/events/${event?.id}/history`,
  );
  expect(told.history).toMatchObject([
    { version: 2, change: "updated", cause: "edit", reason: "moment tensors" },
    { version: 1, change: "added" },
  ]);
});

test("an event whose bulletin would be beyond the limits stays as it is, which the answer tells; others are joined", async () => {
  const { id } = await createCatalogue(editor, { events: EVENTS });
  /** A row with one more origin of an event, and a remark of so many letters. */
  const row = (event: (typeof EVENTS)[number] | undefined, name: string, letters: number) => ({
    source_id: event?.source_id,
    time: event?.time,
    bulletin: {
      publicID: `smi:nz.org.geonet/${event?.source_id}`,
      origin: [
        {
          publicID: `smi:org.example/origin/${name}`,
          time: { value: event?.time },
          latitude: { value: event?.latitude },
          longitude: { value: event?.longitude },
          comment: [{ text: "x".repeat(letters) }],
        },
      ],
    },
  });
  const [large, small] = EVENTS;
  const many = Array.from({ length: 18 }, (_, i) => row(large, `large-${i}`, 3_900_000));
  const content = JSON.stringify({ events: [row(small, "small", 10), ...many] });
  const { body } = await joinFile(editor, id, content, { fileName: "bulletins.json" });
  expect(body).toMatchObject({ version: 2, updatedEvents: 1, skippedEvents: 0, unmatchedCount: 0 });
  const { validationReport: report } = body;
  expect(report).toMatchObject({ totalSubmitted: 19, failedValidation: 18 });
  expect(report.invalidEvents[0]).toMatchObject({ index: 1, id: large?.source_id });
  expect(report.invalidEvents[0]?.reason).toMatch(/bulletin.* more than 64 MiB/);
  expect((await wholeEvents(editor, id))[0]).toMatchObject(large ?? {});
});
