import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createFromFile } from "../support/api/whole-documents.ts";
import { hasPython, runPython } from "../support/clients/python.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { hasRealData, REAL_DATA_DIR } from "../support/real-data.ts";

const FIXTURE = join(import.meta.dirname, "../fixtures/formats/quakeml/geonet.xml");

const service = await useReachableService();

type Read = {
  readonly channels: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
};

async function readBack(file: string): Promise<Read> {
  const editor = await service.loginAs("editor");
  const { id } = await createFromFile(editor, readFileSync(file, "utf8"));
  const base = `${service.url}/api/catalogues/${id}`;
  return runPython<Read>("field_readers.py", { input: { base } });
}

describe.skipIf(!hasPython)("programs of the field", () => {
  let read: Read;
  beforeAll(async () => {
    if (hasPython) read = await readBack(FIXTURE);
  });

  test("EQcorrscan finds network, station, location and channel of every pick", () => {
    expect(read.channels).toEqual([
      "NZ.ARAZ.10.EHZ",
      "NZ.EAZ.10.HHZ",
      "NZ.TUZ.10.HHZ",
      "NZ.WHZ.10.HHN",
      "NZ.WPRZ.10.EHZ",
    ]);
  });

  test("SeismoStats finds a column for each type of magnitude", () => {
    expect(read.rows).toMatchObject([
      { magnitude: "1.4857007516000909", magnitude_type: "M", magnitude_ML: "1.4857007516000909" },
      { magnitude: "4.7", magnitude_type: "Mw", magnitude_ML: "5.1" },
    ]);
  });

  test.skipIf(!hasRealData)("find the same in an agency's event (skipped without it)", async () => {
    const file = join(REAL_DATA_DIR, "quakeml/geonet_2801727_0.6.xml");
    const { channels, rows } = await readBack(file);
    const document = readFileSync(file, "utf8");
    const stations = new Set(document.match(/(?<=<pick.*?stationCode=")\w+/g));
    expect(new Set(channels.map((code) => code.split(".")[1]))).toEqual(stations);
    expect(rows).toMatchObject([{ magnitude: "4.9", magnitude_MS: "5", magnitude_Mb: "5" }]);
  });
});
