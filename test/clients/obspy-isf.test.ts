import { expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { UploadResult } from "#contracts/http/uploads.ts";
import { HEADERS } from "#infra/formats/isf/blocks.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { fileForm } from "../support/api/file-form.ts";
import { createFromFile } from "../support/api/whole-documents.ts";
import { smallBulletin } from "../support/bulletins/small-bulletin.ts";
import { hasPython, runPython } from "../support/clients/python.ts";
import { sample } from "../support/formats/sample.ts";
import { sharedService } from "../support/service.ts";

const service = sharedService();
const REGION = [{ text: "Cook Strait", type: "region name" }] as const;

test.skipIf(!hasPython)(
  "ObsPy reads the origins, magnitudes and picks of catalogues that are exported as ISF, and so does an upload",
  async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createFromFile(editor, sample("isf/first.isf"), "first.isf");
    const { description: _, ...small } = smallBulletin();
    const events = [{ bulletin: { ...small, description: REGION } }];
    await editor.send("POST", `/api/catalogues/${id}/events`, { events });
    const path = `/api/catalogues/${id}/export?format=isf&orderBy=time-asc`;
    const file = await (await editor.stream(path)).text();
    const form = fileForm(file, { fileName: "again.isf" });
    const { body } = await editor.send<UploadResult>("POST", "/api/upload", form);
    expect(body).toMatchObject({ rowCount: 3, errors: [] });
    expect(body.data.map((row) => [row["time"], row["magnitude"], row["region"]])).toEqual([
      ["2000-01-01T00:01:00.00Z", 3.4, "SOUTHERN ALPS"],
      ["2000-01-02T01:02:03.00Z", null, "SOUTHERN ALPS"],
      ["2024-05-06T07:08:01.5Z", 4.5, "Cook Strait"],
    ]);
    expect(await runPython("obspy_isf.py", { input: file })).toEqual([
      {
        type: "mining explosion",
        region: "SOUTHERN ALPS",
        origins: [
          ["1999-12-31T23:59:59.900000Z", 46.1, 8.2, 10_000, 0],
          ["2000-01-01T00:01:00.000000Z", 46.2, 8.3, null, 1],
        ],
        preferred: "2000-01-01T00:01:00.000000Z",
        magnitudes: [
          ["ML", 2.1],
          ["mb", 3.4],
        ],
        picks: [
          ["DAVOX", "S", "2000-01-01T00:01:30.250000Z"],
          ["DAVOX", "", null],
        ],
      },
      {
        type: null,
        region: "SOUTHERN ALPS",
        origins: [["2000-01-02T01:02:03.000000Z", 46.3, 8.4, null, 0]],
        preferred: "2000-01-02T01:02:03.000000Z",
        magnitudes: [],
        picks: [],
      },
      {
        type: "earthquake",
        region: "Cook Strait",
        origins: [
          ["2024-05-06T07:08:01.500000Z", -41.5, 174.5, 12_300, 1],
          ["2024-05-06T07:08:02.500000Z", -41.75, 174.5, 12_300, 1],
        ],
        preferred: "2024-05-06T07:08:01.500000Z",
        magnitudes: [
          ["Mw", 4.5],
          ["ML", 4.7],
        ],
        picks: [
          ["WEL", "P", "2024-05-06T07:08:11.250000Z"],
          ["WEL", "S", "2024-05-06T07:08:12.250000Z"],
        ],
      },
    ]);
  },
);

test.skipIf(!hasPython)(
  "ObsPy reads no file that has a block of phase information, which an upload reads: none is written",
  async () => {
    const editor = await service.loginAs("editor");
    const { description: _, ...small } = smallBulletin("informed");
    const events = [{ bulletin: { ...small, description: REGION } }];
    const { id } = await createCatalogue(editor, { events });
    const file = await (await editor.stream(`/api/catalogues/${id}/export?format=isf`)).text();
    expect(await runPython("obspy_isf.py", { input: file })).toHaveLength(1);
    // The uncertainty of the time of the pick with the id 1.
    const line = `${"0.050".padStart(54)}${"1".padStart(70)}`;
    const informed = file.replace("\nSTOP", `\n${HEADERS.information}\n${line}\n\nSTOP`);
    await expect(runPython("obspy_isf.py", { input: informed })).rejects.toThrow("ValueError");
    const again = await createFromFile(editor, informed, "informed.isf");
    const exported = await editor.stream(
      `/api/catalogues/${again.id}/export?format=json&include=bulletin`,
    );
    const { events: read } = (await exported.json()) as { events: { bulletin: Bulletin }[] };
    expect(read[0]?.bulletin.pick?.map(({ time }) => time.uncertainty)).toEqual([0.05, undefined]);
  },
);
