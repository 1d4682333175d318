import { expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/upload.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();

const HEAD = "time,latitude,longitude,magnitude,region\n";
const CSV = `${HEAD}2020-01-01T00:00:00Z,1,2,3,Puerto Montt\n`;

/** What a catalogue, and another catalogue's addition, answer to a kept file of which this is said. */
async function answersTo(content: string | Uint8Array<ArrayBuffer>, said: object) {
  const client = await service.loginAs("editor");
  const { body } = await client.send<UploadResult>(
    "POST",
    "/api/upload?keep=true",
    fileForm(content),
  );
  const submission = { uploadId: body.uploadId, ...said };
  const { id } = await createCatalogue(client, { events: [] });
  return [
    await client.send("POST", "/api/catalogues", { name: "of a file", ...submission }),
    await client.send("POST", `/api/catalogues/${id}/events`, submission),
  ];
}

test("a kept file of whose rows none can be read in the encoding that it is said to have is refused", async () => {
  for (const answer of await answersTo(CSV, { encoding: "utf-16" })) {
    expectRefusal(answer, "PARSE_ERROR");
    expect(answer.body).toMatchObject({ details: [{ line: 1 }] });
  }
});

test("a kept file that is none of ours in the encoding that it is said to have is refused", async () => {
  const json = JSON.stringify([
    { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2, magnitude: 3 },
  ]);
  for (const answer of await answersTo(json, { encoding: "utf-16be" })) {
    expect(["PARSE_ERROR", "UNSUPPORTED_FORMAT"]).toContain((answer.body as { code: string }).code);
  }
});

test("a kept header without rows is an empty catalogue, whatever is said of its columns", async () => {
  for (const said of [{}, { columns: { region: null } }, { encoding: "windows-1252" }]) {
    const [made, added] = await answersTo(HEAD, said);
    expect([made?.status, added?.status]).toEqual([201, 200]);
  }
});

const LATIN = new Uint8Array(Buffer.from(CSV.replace("Montt", "Valparaíso"), "latin1"));

test("a kept file with bytes that are none of the encoding that it is said to have is refused by name", async () => {
  for (const answer of await answersTo(LATIN, { encoding: "utf-8" })) {
    expectRefusal(answer, "VALIDATION_ERROR", "encoding");
  }
  for (const { status } of await answersTo(LATIN, { encoding: "windows-1252" })) {
    expect([200, 201]).toContain(status);
  }
});

test("an upload with bytes that are none of its encoding says so", async () => {
  const client = await service.loginAs("editor");
  const form = fileForm(LATIN, { fields: { encoding: "utf-8" } });
  const { body } = await client.send<UploadResult>("POST", "/api/upload", form);
  expect(body.warnings).toEqual([
    { line: 1, message: "bytes that are no utf-8 are shown as \uFFFD" },
  ]);
});

test("dates of a kept upload that have several meanings are refused with what decides", async () => {
  for (const answer of await answersTo(`${HEAD}05.06.2020 01:02,1,2,3,x\n`, {})) {
    expectRefusal(answer, "ALL_EVENTS_INVALID");
    expect(JSON.stringify(answer.body)).toContain("dateOrder");
  }
});
