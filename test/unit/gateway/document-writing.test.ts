import { afterAll, expect } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { packBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { sealBulletin } from "#infra/bulletins/seal-bulletin.ts";
import { NOBODY } from "#infra/kernel/asker.ts";
import { type DocumentTask, writeDocument } from "#services/gateway/files/document-task.ts";
import { createExporter } from "#services/gateway/files/exporter.ts";
import { openGatewayThreads } from "#services/gateway/threads/gateway-threads.ts";
import { uuidOf } from "../../support/columnar/copied-rows.ts";
import { EXPORTED } from "../../support/formats/exported.ts";
import { testRows } from "../../support/test-rows.ts";

const { threads, close } = openGatewayThreads();
const exporter = createExporter(threads);
afterAll(close);

const ID = "smi:test.local";

/** An event with so many picks, of the same id. */
function bulletinOf(picks: number): Bulletin {
  const pick = { publicID: `${ID}/p`, time: { value: "2020-01-01T00:00:00Z" } };
  const waveformID = { networkCode: "NZ", stationCode: "S" };
  const place = { latitude: { value: 1 }, longitude: { value: 2 } };
  return {
    publicID: `${ID}/e`,
    origin: [{ publicID: `${ID}/o`, time: pick.time, ...place }],
    pick: Array.from({ length: picks }, () => ({ ...pick, waveformID })),
  };
}

function taskOf(bulletin: Bulletin, format: DocumentTask["format"]): DocumentTask {
  const { pieces, counts } = packBulletin(bulletin);
  return {
    source: pieces,
    bytes: counts.bytes,
    parts: null,
    format,
    form: "valid",
    exported: EXPORTED,
    eventId: uuidOf(1),
  };
}

async function written(task: DocumentTask): Promise<string> {
  const pieces: (string | Uint8Array)[] = [];
  for await (const piece of exporter.writeDocument(task, NOBODY)) pieces.push(piece);
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString("utf8");
}

testRows("a bulletin is answered whole, as JSON and as QuakeML", [3, 100_000], async (picks) => {
  const bulletin = bulletinOf(picks);
  const json = JSON.parse(await written(taskOf(bulletin, "json")));
  expect(json).toMatchObject({ version: EXPORTED.version, source: "bulletin" });
  expect(sealBulletin(json.bulletin).sha256).toBe(sealBulletin(bulletin).sha256);
  const quakeml = taskOf(bulletin, "quakeml");
  expect((await written(quakeml)) === [...writeDocument(quakeml)].join("")).toBe(true);
});
