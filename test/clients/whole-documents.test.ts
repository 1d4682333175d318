import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { createFromFile, exportWhole } from "../support/api/whole-documents.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasPython, hasXmllint, quakemlSchema, runPython } from "../support/clients/python.ts";
import { everyMember } from "../support/quakeml/every-member.ts";
import { leavesOf } from "../support/quakeml/leaves.ts";
import { hasRealData, REAL_DATA_DIR } from "../support/real-data.ts";
import { runTool } from "../support/run-tool.ts";
import { sharedService } from "../support/service.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

type Compared = {
  readonly rewritten: string;
  readonly events: number;
  readonly equal: boolean;
  readonly extra: boolean;
};
const inObspy = (before: string, after?: string) =>
  runPython<Compared>("whole_documents.py", { input: { before, after } });

async function expectValid(document: string): Promise<void> {
  if (!hasXmllint) return;
  const args = ["--noout", "--nonet", "--schema", quakemlSchema()];
  await runTool("xmllint", args, "export.xml", new TextEncoder().encode(document));
}

/** Every member of QuakeML, of which ObsPy reads one uncertainty of an origin and one tensor of a mechanism. */
function readableByObspy(): Bulletin {
  const { origin = [], focalMechanism = [], ...bulletin } = everyMember();
  return {
    ...bulletin,
    origin: origin.map((one) => ({
      ...one,
      originUncertainty: one.originUncertainty?.slice(0, 1) ?? [],
    })),
    focalMechanism: focalMechanism.map((one) => ({
      ...one,
      momentTensor: one.momentTensor?.slice(0, 1) ?? [],
    })),
  };
}

/** Agencies' files with located events whose ids are all valid. */
const REAL_FILES = [
  ["2004-12-26_mag6+.qml", true],
  ["ci15481673_phase-data.xml", true],
  ["geonet_2024p344188_0.13.xml", true],
  ["geonet_2801727_0.6.xml", true],
  ["sed_coseismiq_invalid_ids.xml", false],
  ["usgs_us6000kawn_full.xml", true],
  ["obspy/invalid_enum.xml", true],
  ["obspy/invalid_id.xml", false],
  ["obspy/iris_events.xml", true],
  ["obspy/preferred.xml", false],
  ["obspy/qml-example-1.2-RC3.xml", true],
  ["obspy/quakeml_1.2_arrival.xml", true],
] as const;

describe.skipIf(!hasPython)("to ObsPy, an exported document", () => {
  test("with every member of QuakeML equals the one that ObsPy wrote itself", async () => {
    const first = await createCatalogue(editor, { events: [{ bulletin: readableByObspy() }] });
    const { rewritten } = await inObspy(await exportWhole(editor, first.id, "valid"));
    const { id, validationReport } = await createFromFile(editor, rewritten);
    expect(validationReport.elements?.["event"]).toEqual({ read: 1, kept: 1, dropped: 0 });
    for (const form of ["given", "valid"] as const) {
      const exported = await exportWhole(editor, id, form);
      expect(await inObspy(rewritten, exported)).toMatchObject({ events: 1, equal: true });
      expect(leavesOf(exported)).toEqual(leavesOf(rewritten));
      await expectValid(exported);
    }
  });

  test.skipIf(!hasRealData).each(REAL_FILES)(
    "of %s equals the file (skipped without it)",
    async (file, hasValidIds) => {
      const before = readFileSync(join(REAL_DATA_DIR, "quakeml", file), "utf8");
      const { id } = await createFromFile(editor, before);
      const given = await exportWhole(editor, id, "given");
      expect(leavesOf(given)).toEqual(leavesOf(before));
      expect(await inObspy(before, given)).toMatchObject({ equal: true, extra: true });
      const valid = await exportWhole(editor, id, "valid");
      await expectValid(valid);
      const { equal } = await inObspy(before, valid);
      expect(equal || !hasValidIds).toBe(true);
    },
  );
});
