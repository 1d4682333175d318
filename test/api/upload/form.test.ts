import { expect, test } from "vitest";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
const CSV = "time,latitude,longitude,magnitude\n2020-01-01,1,2,3\n";

test.each([
  ["dateorder", "dateOrder"],
  ["Encoding", "encoding"],
  ["delim", "delimiter"],
])("a form's field %s is refused with the one that is meant: %s", async (name, meant) => {
  const client = await service.loginAs("editor");
  const form = fileForm(CSV, { fields: { [name]: "comma" } });
  const answer = await client.send("POST", "/api/upload", form);
  expectRefusal(answer, "VALIDATION_ERROR", `${name}: is not known; do you mean ${meant}?`);
});

test("a form's field that means nothing is ignored", async () => {
  const client = await service.loginAs("editor");
  const form = fileForm(CSV, { fields: { comment: "comma" } });
  expect((await client.send("POST", "/api/upload", form)).status).toBe(200);
});

test("a part of a form without a name is ignored", async () => {
  const client = await service.loginAs("editor");
  const part = (name: string, value: string) =>
    `--x\r\ncontent-disposition: form-data;${name}\r\n\r\n${value}\r\n`;
  const body = `${part(' name="file"; filename="a.csv"', CSV)}${part("", "nameless")}--x--\r\n`;
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const answer = await client.send("POST", "/api/upload", body, headers);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
});

test("a form without a file is told which field is needed", async () => {
  const client = await service.loginAs("editor");
  const form = new FormData();
  form.append("data", new Blob([CSV]), "a.csv");
  expectRefusal(await client.send("POST", "/api/upload", form), "NO_FILE", "field file");
});

test("a catalogue without events is told of both ways to send them", async () => {
  const client = await service.loginAs("editor");
  const answer = await client.send("POST", "/api/catalogues", { name: "x" });
  expectRefusal(answer, "VALIDATION_ERROR", "uploadId");
});

test("a missing body is an empty one where all of its members are optional, else it is asked for", async () => {
  const client = await service.loginAs("editor");
  const { id } = await createCatalogue(client, { events: [] });
  expect((await client.send("POST", `/api/catalogues/${id}/shares`)).status).toBe(201);
  const decluster = await client.send("POST", `/api/catalogues/${id}/analytics/decluster`);
  expectRefusal(decluster, "INVALID_JSON", "A body is needed");
});

test("the event service asks whether another parameter is meant", async () => {
  const client = await service.loginAs("editor");
  const { id } = await createCatalogue(client, { events: [] });
  const path = `/api/catalogues/${id}/fdsnws/event/1/query?min_magnitude=5`;
  expect((await client.get(path)).body).toContain("do you mean minmagnitude?");
});
