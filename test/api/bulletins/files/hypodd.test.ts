import { beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../../../support/api-client.ts";
import { sample } from "../../../support/formats/sample.ts";
import { sharedService } from "../../../support/service.ts";
import { arrivalsOf, catalogueOfFile, keepFile, wholeEvents } from "./events-of-file.ts";

const PHASES = sample("hypodd/phases.pha");
const RELOCATED = sample("hypodd/relocated.reloc");

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

test("phase data of hypoDD make events with readings: second 60 is in the next minute, NaN is no magnitude", async () => {
  const { id, upload, events } = await catalogueOfFile(editor, PHASES, "events.pha");
  expect(upload).toMatchObject({ format: "hypodd", rowCount: 3, errors: [] });
  expect(events).toMatchObject([
    {
      source_id: "20202331",
      time: "2024-03-01T00:00:00.000000Z",
      depth: 9.408,
      depth_uncertainty: 0.5,
      horizontal_uncertainty: 0.25,
      magnitude: 3.5,
    },
    { source_id: "7", time: "2025-05-14T15:43:05.28Z", depth: -0.774, magnitude: null },
    { source_id: "8", depth: 12, magnitude: null },
  ]);
  const rows = await arrivalsOf(editor, id, events[0]?.id ?? "");
  expect(rows.map(({ station, phase, time }) => [station, phase, time])).toEqual([
    ["SIMPL", "P", "2024-03-01T00:00:03.521999Z"],
    ["BNALP", "S", "2024-03-01T00:00:05.862000Z"],
  ]);
});

test("relocations of hypoDD come to the events with their ids as new origins, in one version", async () => {
  const { id, events: before } = await catalogueOfFile(editor, PHASES, "events.pha");
  const { uploadId } = await keepFile(editor, RELOCATED, "events.reloc");
  const path = `/api/catalogues/${id}/events`;
  const update = { uploadId, updateExisting: true };
  const { body } = await editor.send<{ version: number }>("POST", path, update);
  expect(body).toMatchObject({ version: 2, newEvents: 0, updatedEvents: 2 });
  const after = await wholeEvents(editor, id);
  const [first, second, third] = after;
  expect(first).toMatchObject({
    source_id: "20202331",
    time: "2024-03-01T00:01:00.000Z",
    depth: 9.25,
    depth_uncertainty: 0.3,
    magnitude: 3.5,
  });
  expect(second).toMatchObject({ source_id: "7", depth: -0.774, magnitude: null });
  expect(third).toEqual(before.find(({ source_id }) => source_id === "8"));
  for (const event of [first, second]) {
    const former = before.find(({ source_id }) => source_id === event?.source_id);
    const [old, added, ...others] = event?.bulletin.origin ?? [];
    expect([old]).toEqual(former?.bulletin.origin);
    expect(others).toEqual([]);
    expect(event?.bulletin.preferredOriginID).toBe(added?.publicID);
    expect(event?.bulletin.pick).toEqual(former?.bulletin.pick);
  }
  const again = await keepFile(editor, RELOCATED, "events.reloc");
  const once = { uploadId: again.uploadId, updateExisting: true };
  expect((await editor.send("POST", path, once)).body).toMatchObject({
    version: 2,
    updatedEvents: 0,
  });
});
