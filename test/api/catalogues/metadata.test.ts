import { beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
let guest: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
  guest = await service.loginAs("guest");
});

const METADATA = {
  title: "Aftershocks of the Kaikōura earthquake <2016>",
  description: "Relocated & checked.\nSee the paper.",
  creators: [
    { name: "Example, Ann", orcid: "https://orcid.org/0000-0002-1825-0097" },
    { name: "An institute", ror: "03vek6s52" },
  ],
  publisher: "An institute",
  license: "CC-BY-4.0",
  doi: "10.1234/abc",
  references: ["https://example.org/paper"],
};

const read = async (id: string, client = editor) =>
  (await client.get<Catalogue>(`/api/catalogues/${id}`)).body;

test("metadata are taken with the catalogue, returned as given, and replaced whole", async () => {
  const body = { name: "cited", events: [seismicEvent()], metadata: METADATA };
  const created = await editor.send<Catalogue>("POST", "/api/catalogues", body);
  expect(created).toMatchObject({ status: 201, body: { metadata: METADATA, version: 1 } });
  const { id } = created.body;
  const path = `/api/catalogues/${id}`;
  expect((await read(id)).metadata).toEqual(METADATA);
  const { headers } = await editor.get(path);
  const title = { metadata: { title: "Another" } };
  const tag = headers.get("etag") ?? "";
  expect((await editor.send("PATCH", path, title, { "if-match": tag })).status).toBe(200);
  expect(await read(id)).toMatchObject({ metadata: title.metadata, version: 1 });
  expectRefusal(
    await editor.send("PATCH", path, title, { "if-match": tag }),
    "PRECONDITION_FAILED",
  );
  await editor.send("PATCH", path, { metadata: null });
  expect((await read(id)).metadata).toBeNull();
});

test("guests see the metadata of public catalogues only", async () => {
  const { id } = await createCatalogue(editor);
  await editor.send("PATCH", `/api/catalogues/${id}`, { metadata: METADATA });
  expect((await read(id, guest)).metadata).toBeNull();
  await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
  expect((await read(id, guest)).metadata).toEqual(METADATA);
  const collection = await guest.get<{ title: string; links: { rel: string; href: string }[] }>(
    `/api/ogc/collections/${id}`,
  );
  expect(collection.body.title).toBe(METADATA.title);
  const license = collection.body.links.find(({ rel }) => rel === "license");
  expect(license?.href).toBe("https://spdx.org/licenses/CC-BY-4.0.html");
});

test.each([
  [{ license: "CC-BY-9.9" }, "license"],
  [{ doi: "abc" }, "doi"],
  [{ creators: [{ name: "A", orcid: "0000-0002-1825-0098" }] }, "creators.0.orcid"],
  [{ keywords: [] }, "keywords"],
])("metadata %j are refused, by POST and PATCH", async (metadata, field) => {
  const { id } = await createCatalogue(editor);
  const changed = await editor.send("PATCH", `/api/catalogues/${id}`, { metadata });
  expectRefusal(changed, "VALIDATION_ERROR", `metadata.${field}`);
  const body = { name: "cited", events: [seismicEvent()], metadata };
  const created = await editor.send("POST", "/api/catalogues", body);
  expectRefusal(created, "VALIDATION_ERROR", `metadata.${field}`);
});

test("exports that can carry metadata do, and can be uploaded again", async () => {
  const { id } = await createCatalogue(editor);
  await editor.send("PATCH", `/api/catalogues/${id}`, { metadata: METADATA });
  const file = async (format: string) =>
    (await editor.stream(`/api/catalogues/${id}/export?format=${format}`)).text();
  for (const format of ["json", "geojson"]) {
    expect(JSON.parse(await file(format)).catalogue.metadata).toEqual(METADATA);
  }
  for (const format of ["quakeml", "kml"]) {
    const text = await file(format);
    expect(text).toContain("Aftershocks of the Kaikōura earthquake &lt;2016&gt;\nRelocated &amp;");
    expect(text).toContain("Example, Ann (https://orcid.org/0000-0002-1825-0097); An institute");
    expect(text).toContain("License: CC-BY-4.0");
  }
  for (const format of ["json", "geojson", "quakeml"]) {
    const fileName = `export.${format === "quakeml" ? "xml" : format}`;
    const form = fileForm(await file(format), { fileName });
    const answer = await editor.send("POST", "/api/upload", form);
    expect(answer.body).toMatchObject({ rowCount: 1, errorCount: 0, warningCount: 0 });
  }
});
