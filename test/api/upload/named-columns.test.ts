import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/upload.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import type { CreatedCatalogue } from "../support/catalogue.ts";
import { type FileFormOptions, fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();

type Columns = Readonly<Record<string, string | null>>;

async function keep(client: ApiClient, content: string, options: FileFormOptions = {}) {
  const { status, body } = await client.send<UploadResult>(
    "POST",
    "/api/upload?keep=true",
    fileForm(content, options),
  );
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { ...body, uploadId: body.uploadId ?? "" };
}

/** What a file makes whose columns are these: its report, and its events without our ids. */
async function made(content: string, columns?: Columns, options: FileFormOptions = {}) {
  const client = await service.loginAs("editor");
  const { uploadId } = await keep(client, content, options);
  const { body } = await client.send<CreatedCatalogue>("POST", "/api/catalogues", {
    name: "named",
    uploadId,
    ...(columns && { columns }),
  });
  if (body.id === undefined) return { refused: body };
  const { body: file } = await client.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${body.id}/export?format=json&orderBy=time-asc`,
  );
  const { invalidEvents, ...report } = body.validationReport;
  return { report, events: file.events.map(({ id: _, ...event }) => event) };
}

const CORE = "time,latitude,longitude,magnitude";
const ROW = "2020-01-01T00:00:00Z,1,2,3";

describe("columns of delimited text", () => {
  test.each([
    ["Type", "magnitude_type", "Mw", "Mw"],
    ["Type", "magnitude_type", "ML", "ML"],
    ["gap", "depth", "-1", -1],
    ["x", "depth", "-999", null],
    ["x", "azimuthal_gap", "-1", null],
    ["x", "standard_error", "-1", null],
    ["x", "used_station_count", "-1", null],
    ["x", "used_station_count", "NaN", null],
    ["x", "depth", '"1,5"', 1.5],
    ["x", "event_type", "eq", "earthquake"],
    ["x", "event_type", "quarry", "quarry blast"],
  ])("%s said to be %s is read as that: %s", async (column, attribute, cell, value) => {
    const content = `${CORE},${column}\n${ROW},${cell}\n`;
    const { events } = await made(content, { [column]: attribute });
    expect(events).toMatchObject([{ [attribute]: value }]);
  });

  test("what is left out is nowhere, nor are originals of its values", async () => {
    const content = `${CORE},Type,gap,note\n${ROW},ML,-1,x\n`;
    const { events } = await made(content, { Type: null, gap: null, note: null });
    expect(events).toMatchObject([{ event_type: null, azimuthal_gap: null, extra: null }]);
  });

  test("a column that is said to be what its name says keeps the unit and the type in its name", async () => {
    const content = "time,lat,lon,DepthMeters,Mw\n2020-01-01,1,2,7000,5\n";
    const columns = { DepthMeters: "depth", Mw: "magnitude", lat: "latitude" };
    const { events } = await made(content, columns);
    expect(events).toMatchObject([{ depth: 7, magnitude: 5, magnitude_type: "Mw", latitude: 1 }]);
  });

  const cell = fc.oneof(
    fc.constantFrom("", "-1", "-9", "-9.9", "-99", "-999", "NaN", "null", "0", "7", "1e2", "-0"),
    fc.constantFrom("1,5", "eq", "quarry", "ML", "manual", "reviewed", "'=1", "007", "{}", " x "),
  );
  const column = fc.record({
    target: fc.constantFrom(...ATTRIBUTE_NAMES.filter((name) => name !== "source_id"), null),
    cells: fc.array(cell, { minLength: 3, maxLength: 3 }),
  });

  test("a file with any names and columns for them makes what it makes with canonical names", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(column, { minLength: 1, maxLength: 8, selector: ({ target }) => target }),
        async (columns) => {
          const fixed = ["time", "latitude", "longitude", "magnitude"].filter((name) =>
            columns.every(({ target }) => target !== name),
          );
          const shown = columns.filter(({ target }) => target !== null);
          const write = (names: readonly string[], of: typeof columns) => {
            const rows = [0, 1, 2].map((row) => {
              const values: Record<string, string> = {
                time: `2020-01-0${row + 1}`,
                latitude: "1",
                longitude: "2",
                magnitude: "3",
              };
              const own = of.map(({ cells }) => `"${cells[row]}"`);
              return [...fixed.map((name) => values[name]), ...own].join(",");
            });
            return `${[...fixed, ...names].join(",")}\n${rows.join("\n")}\n`;
          };
          const nameOf = (target: string | null) => `z_${target}_z`;
          const foreign = write(
            columns.map(({ target }) => nameOf(target)),
            columns,
          );
          const canonical = write(
            shown.map(({ target }) => String(target)),
            shown,
          );
          const said = Object.fromEntries(columns.map(({ target }) => [nameOf(target), target]));
          const given = JSON.stringify(await made(foreign, said));
          const named = JSON.parse(given.replaceAll(/z_(\w+?)_z/g, "$1"));
          expect(named).toEqual(await made(canonical));
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe("members of JSON and GeoJSON", () => {
  const event = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 };

  test("are named by their own names, or by those that they are shown with", async () => {
    const content = JSON.stringify([{ ...event, Mg: "-9.9", art: "quarry", gap: 90, note: "x" }]);
    const options = { fileName: "a.json" };
    const client = await service.loginAs("editor");
    const { headers, members } = await keep(client, content, options);
    expect(headers).toContain("azimuthal_gap");
    expect(members).toEqual(["Mg", "art", "gap", "note"]);
    const columns = {
      Mg: "magnitude",
      magnitude: null,
      art: "event_type",
      azimuthal_gap: "depth",
      depth: null,
      note: null,
    };
    const { events } = await made(content, columns, options);
    const extra = { magnitude: -9.9, event_type: "quarry" };
    expect(events).toMatchObject([
      { magnitude: null, event_type: "quarry blast", depth: 90, azimuthal_gap: null, extra },
    ]);
    expect((await made(content, { gap: null }, options)).events).toMatchObject([
      { azimuthal_gap: null },
    ]);
  });

  test("may be what they are taken for by themselves, or each other", async () => {
    const content = JSON.stringify([{ t: event.time, lat: 1, lon: 2, M: 3 }]);
    const options = { fileName: "a.json" };
    const columns = { t: "time", lat: "longitude", lon: "latitude", M: "magnitude" };
    expect((await made(content, columns, options)).events).toMatchObject([
      { time: event.time, latitude: 2, longitude: 1, magnitude: 3 },
    ]);
  });

  test("what is said of a Feature's depth holds for its third coordinate", async () => {
    const feature = (properties: object) =>
      JSON.stringify({
        type: "FeatureCollection",
        features: [
          {
            type: "Feature",
            geometry: { type: "Point", coordinates: [2, 1, 30] },
            properties: { time: event.time, mag: 3, ...properties },
          },
        ],
      });
    const options = { fileName: "a.geojson" };
    const without = await made(feature({}), { depth: null }, options);
    expect(without.events).toMatchObject([{ depth: null, extra: null }]);
    const columns = { deep: "depth", depth: null };
    const given = await made(feature({ deep: 5 }), columns, options);
    expect(given.events).toMatchObject([{ depth: 5, extra: null }]);
  });

  test("a name that no event has is refused", async () => {
    const client = await service.loginAs("editor");
    const { uploadId } = await keep(client, JSON.stringify([{ ...event, mag: 1 }]), {
      fileName: "a.json",
    });
    const columns = { size: "magnitude" };
    const answer = await client.send("POST", "/api/catalogues", { name: "x", uploadId, columns });
    expectRefusal(answer, "VALIDATION_ERROR", "columns.size");
  });
});

test("attributes of QuakeML are named by their canonical names", async () => {
  const content = `<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2"><eventParameters publicID="smi:a/p"><event publicID="smi:a/1"><type>quarry blast</type>
<origin publicID="smi:a/o"><time><value>2020-01-01T00:00:00Z</value></time><latitude><value>1</value></latitude><longitude><value>2</value></longitude><depth><value>7000</value><uncertainty>400</uncertainty></depth></origin>
<magnitude publicID="smi:a/m"><mag><value>3</value></mag><type>ML</type></magnitude></event></eventParameters></q:quakeml>`;
  const columns = { depth: null, depth_uncertainty: "horizontal_uncertainty", event_type: null };
  const { events } = await made(content, columns, { fileName: "a.xml" });
  expect(events).toMatchObject([
    {
      depth: null,
      depth_uncertainty: null,
      horizontal_uncertainty: 0.4,
      event_type: null,
      magnitude: 3,
      magnitude_type: "ML",
    },
  ]);
});
