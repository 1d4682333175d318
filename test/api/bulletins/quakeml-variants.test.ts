import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/upload.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { fileForm } from "../support/file-form.ts";

const FIXTURE = readFileSync(
  join(import.meta.dirname, "../../fixtures/formats/quakeml/geonet.xml"),
  "utf8",
);
const EVENT = /<event [\s\S]*?<\/event>/g;
const OBJECT =
  /<(pick|amplitude|stationMagnitude|magnitude|origin) publicID="([^"]*)"[\s\S]*?<\/\1>/g;

const service = sharedService();
let editor: ApiClient;
let given: UploadResult;
beforeAll(async () => {
  editor = await service.loginAs("editor");
  given = await read(FIXTURE);
});

async function read(document: string): Promise<UploadResult> {
  const form = fileForm(document, { fileName: "events.xml" });
  const { status, body } = await editor.send<UploadResult>(
    "POST",
    "/api/upload?include=bulletin",
    form,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The events of the fixture as real-time documents have them, and what then stands beside them. */
function realTime() {
  const objects: string[] = [];
  const events = (FIXTURE.match(EVENT) ?? []).map((event) =>
    event.replace(OBJECT, (object, kind: string, id: string) => {
      objects.push(object);
      const isNamed = kind === "origin" || kind === "magnitude";
      return isNamed ? `<${kind}Reference><${kind}ID>${id}</${kind}ID></${kind}Reference>` : "";
    }),
  );
  return { events, objects };
}

const realTimeDocument = (...content: readonly string[]) =>
  '<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml-rt/1.2" xmlns="http://quakeml.org/xmlns/bed-rt/1.2">' +
  `<eventParameters publicID="smi:nz.org.geonet/NA">\n${content.join("\n")}\n</eventParameters></q:quakeml>`;

describe("a real-time document is read as the document of whole events", () => {
  const { events, objects } = realTime();
  const half = Math.ceil(objects.length / 2);
  test.each([
    ["before", [...objects, ...events]],
    ["after", [...events, ...objects]],
    ["on both sides of", [...objects.slice(0, half), ...events, ...objects.slice(half)]],
  ])("with the objects %s the events", async (_, content) => {
    const { data, elements, rowCount } = await read(realTimeDocument(...content));
    expect(rowCount).toBe(2);
    expect(data).toEqual(given.data);
    expect(elements).toEqual(given.elements);
  });
});

describe("a document of an earlier version is read as one of today", () => {
  const { events } = { events: FIXTURE.match(EVENT) ?? [] };
  test.each(["1.0", "1.1"])("of %s, which has one namespace", async (version) => {
    const document =
      `<quakeml xmlns="http://quakeml.org/xmlns/quakeml/${version}">` +
      `<eventParameters publicID="smi:nz.org.geonet/NA">\n${events.join("\n")}\n</eventParameters></quakeml>`;
    const { data, elements } = await read(document);
    expect(data).toEqual(given.data);
    expect(elements).toEqual(given.elements);
  });
});
