import { describe, expect, test } from "vitest";
import { withClient } from "../../support/database-template.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
const editor = () => service.loginAs("editor");

describe("the name of a catalogue", () => {
  const longest = "🜨".repeat(255);

  test.each([
    ["is trimmed", "  Alpine Fault \n", "Alpine Fault"],
    ["holds 255 characters, whatever their length in UTF-16", longest, longest],
    ["holds any script", "Ōtautahi 地震 землетрясение", "Ōtautahi 地震 землетрясение"],
  ])("%s", async (_title, given, kept) => {
    const created = await createCatalogue(await editor(), { name: given });
    expect(created.name).toBe(kept);
    const client = await editor();
    await client.send("PATCH", `/api/catalogues/${created.id}`, { name: "other" });
    await client.send("PATCH", `/api/catalogues/${created.id}`, { name: given });
    expect((await client.get(`/api/catalogues/${created.id}`)).body).toMatchObject({ name: kept });
  });

  test("the name of a catalogue need not be unique", async () => {
    const [a, b] = [await createCatalogue(await editor()), await createCatalogue(await editor())];
    expect(a.name).toBe(b.name);
    expect(a.id).not.toBe(b.id);
  });

  test.each([
    ["missing", undefined, "MISSING_NAME"],
    ["empty", "", "MISSING_NAME"],
    ["blank", " \t ", "MISSING_NAME"],
    ["longer than 255 characters", `${longest}x`, "NAME_TOO_LONG"],
    ["null", null, "VALIDATION_ERROR"],
    ["a number", 7, "VALIDATION_ERROR"],
    ["with NUL", "a\0b", "VALIDATION_ERROR"],
    ["with half a surrogate pair", "a\ud800b", "VALIDATION_ERROR"],
    ["of two lines", "a\nb", "VALIDATION_ERROR"],
    ["with a tab", "a\tb", "VALIDATION_ERROR"],
    ["turned round", "a\u202eb", "VALIDATION_ERROR"],
  ] as const)("the name of a catalogue is refused when it is %s", async (_title, name, code) => {
    expectRefusal(
      await (await editor()).send("POST", "/api/catalogues", { name, events: [seismicEvent()] }),
      code,
      "name",
    );
    const { id } = await createCatalogue(await editor());
    const renamed = await (await editor()).send("PATCH", `/api/catalogues/${id}`, { name });
    expectRefusal(renamed, code, "name");
  });

  test("the name of a catalogue is read as it is, and stays, where it was given before such names were refused", async () => {
    const client = await editor();
    const { id } = await createCatalogue(client);
    const name = "older\u202ename\nof two lines";
    await withClient(service.databaseUrl, (db) =>
      db.query("update read_model.catalogues set name = $2 where id = $1", [id, name]),
    );
    expect((await client.get(`/api/catalogues/${id}`)).body).toMatchObject({ name });
    const published = await client.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    expect(published.status).toBe(200);
    const exported = await client.get(`/api/catalogues/${id}/export?format=json`);
    expect(exported.status).toBe(200);
  });
});
