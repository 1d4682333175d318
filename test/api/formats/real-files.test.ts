import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createFromFile, exportWhole } from "../../support/api/whole-documents.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { hasRealData, REAL_DATA_DIR } from "../../support/real-data.ts";
import { runTool } from "../../support/run-tool.ts";
import { sharedService } from "../../support/service.ts";
import { exportFile, uploadFile } from "./file-round.ts";

const service = sharedService();

type Counter = (text: string) => number;
/** Lines below the header that hold something. */
const lines: Counter = (text) => text.split("\n").filter((line) => line.trim() !== "").length - 1;
const linesWithoutHeader: Counter = (text) => lines(text) + 1;
/** What xmllint --xpath 'count(//*[local-name()="event"])' counts. */
const eventElements: Counter = (text) => text.match(/<(?:\w+:)?event[\s>]/g)?.length ?? 0;
const features: Counter = (text) => text.match(/"type"\s*:\s*"Feature"/g)?.length ?? 0;

/** File, format, how its rows are counted otherwise, and how many of them are no valid events for us. */
const CATALOGUES = [
  ["csv/csep_sample.csv", "csv", lines, 0],
  ["csv/geonet_quakesearch_1980-2022.csv", "csv", lines, 0],
  ["csv/kawerau.csv", "csv", lines, 0],
  ["csv/merge3_comcat.csv", "csv", lines, 0],
  ["csv/merge3_gcmt.csv", "csv", lines, 0],
  ["csv/merge3_isc.csv", "csv", lines, 0],
  ["geojson/usgs_classes_summary_3.json", "geojson", features, 0],
  ["geojson/usgs_csep_summary_3.json", "geojson", features, 0],
  ["quakeml/2004-12-26_mag6+.qml", "quakeml", eventElements, 0],
  ["quakeml/ci15481673_phase-data.xml", "quakeml", eventElements, 0],
  ["quakeml/geonet_2024p344188_0.13.xml", "quakeml", eventElements, 0],
  ["quakeml/geonet_2801727_0.6.xml", "quakeml", eventElements, 0],
  ["quakeml/sed_coseismiq_invalid_ids.xml", "quakeml", eventElements, 0],
  ["quakeml/usgs_us6000kawn_full.xml", "quakeml", eventElements, 0],
  ["quakeml/obspy/invalid_enum.xml", "quakeml", eventElements, 0],
  ["quakeml/obspy/invalid_id.xml", "quakeml", eventElements, 0],
  ["quakeml/obspy/iris_events.xml", "quakeml", eventElements, 0],
  ["quakeml/obspy/preferred.xml", "quakeml", eventElements, 0],
  ["quakeml/obspy/qml-example-1.2-RC3.xml", "quakeml", eventElements, 0],
  ["quakeml/obspy/quakeml_1.2_arrival.xml", "quakeml", eventElements, 0],
  ["text/catalog.csv", "csv", lines, 0],
  ["text/events.txt", "txt", lines, 0],
  ["text/incomplete.csv", "csv", lines, 1],
  ["text/seiscomp_event-1.txt", "txt", lines, 0],
  ["text/zmap_events.txt", "txt", linesWithoutHeader, 0],
] as const;

/** Documents about one part of an event, without any origin: there is nothing to make a row of. */
const NO_CATALOGUES = [
  "data_used",
  "event",
  "magnitude",
  "pick",
  "stationmagnitude",
  "stationmagnitudecontributions",
];

const contentOf = async (file: string) => new Uint8Array(await readFile(join(REAL_DATA_DIR, file)));

describe.skipIf(!hasRealData)(
  "a real file (skipped where ../shared/data and REAL_DATA_DIR are absent)",
  () => {
    test.each(CATALOGUES)(
      "%s is read whole as %s, stored and exported",
      async (file, format, count, invalid) => {
        const client = await service.loginAs("editor");
        const content = await contentOf(file);
        const uploaded = await uploadFile(client, content, basename(file));
        const expected = count(new TextDecoder().decode(content));
        expect(expected).toBeGreaterThan(0);
        expect(uploaded).toMatchObject({ format, rowCount: expected, errors: [] });
        expect(uploaded.data).toHaveLength(expected);
        if (invalid === expected) return;

        const { id, validationReport } = await createCatalogue(client, { events: uploaded.data });
        expect(validationReport).toMatchObject({
          totalSubmitted: expected,
          failedValidation: invalid,
        });
        const stored = expected - invalid;
        const xsd = join(REAL_DATA_DIR, "xsd/QuakeML-1.2.xsd");
        const quakeml = await exportFile(client, id, "quakeml");
        await runTool("xmllint", ["--noout", "--nonet", "--schema", xsd], "export.xml", quakeml);
        expect(eventElements(new TextDecoder().decode(quakeml))).toBe(stored);
        for (const kind of ["geojson", "kml"] as const) {
          const exported = await exportFile(client, id, kind);
          const summary = await runTool(
            "ogrinfo",
            ["-ro", "-al", "-so"],
            `export.${kind}`,
            exported,
          );
          expect(summary).toContain(`Feature Count: ${stored}\n`);
        }
      },
    );

    test("all files of QuakeML give back every leaf of their located events", async () => {
      const client = await service.loginAs("editor");
      let leaves = 0;
      for (const [file, format] of CATALOGUES) {
        if (format !== "quakeml") continue;
        const content = await contentOf(file);
        const { id } = await createFromFile(client, content, basename(file));
        const before = leavesOf(new TextDecoder().decode(content));
        expect(leavesOf(await exportWhole(client, id, "given")), file).toEqual(before);
        leaves += before.length;
      }
      expect(leaves).toBe(48_032);
    });

    test.each(NO_CATALOGUES)("about one %s alone is 500, and says why", async (part) => {
      const client = await service.loginAs("editor");
      const content = await contentOf(`quakeml/obspy/quakeml_1.2_${part}.xml`);
      const form = fileForm(content, { fileName: "part.xml" });
      const answer = await client.send("POST", "/api/upload", form);
      const { details } = expectRefusal(answer, "PARSE_ERROR");
      expect(details).toEqual([expect.objectContaining({ message: "the event has no origin" })]);
    });
  },
);
