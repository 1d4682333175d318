import { beforeAll, describe, expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/upload.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";

const service = sharedService();
let editor: ApiClient;
let id = "";
beforeAll(async () => {
  editor = await service.loginAs("editor");
  const events = ["a", "b", "c"].map((name) => ({ bulletin: smallBulletin(name) }));
  ({ id } = await createCatalogue(editor, { events }));
});

const textOf = async (format: string) =>
  (await editor.stream(`/api/catalogues/${id}/export?format=${format}`)).text();

const upload = (content: string, fileName: string) =>
  editor.send<UploadResult>("POST", "/api/upload", fileForm(content, { fileName }));

/** Of each event in a file its picks, after they were uploaded as rows with bulletins. */
async function picksOf(content: string, fileName: string): Promise<number[]> {
  const form = fileForm(content, { fileName });
  const address = "/api/upload?include=bulletin";
  const { body } = await editor.send<UploadResult>("POST", address, form);
  const rows = body.data as { readonly bulletin?: { readonly pick?: unknown[] } }[];
  return rows.map(({ bulletin }) => bulletin?.pick?.length ?? 0);
}

const WRONG_NAMES = ["events.csv", "events.json", "events.hyp", "events.ndk", "events"];

describe.each(["quakeml", "isf"])("a file of whole events as %s", (format) => {
  test.each(WRONG_NAMES)("is found by its content under the name %s", async (fileName) => {
    const content = await textOf(format);
    const right = await picksOf(content, format === "isf" ? "events.isf" : "events.xml");
    expect(right).toHaveLength(3);
    expect(Math.min(...right)).toBeGreaterThan(0);
    expect(await picksOf(content, fileName)).toEqual(right);
  });

  test("that is cut anywhere gives whole events alone, and says where it ends", async () => {
    const content = await textOf(format);
    const whole = await picksOf(content, "events");
    for (const part of [0.3, 0.45, 0.6, 0.75, 0.9]) {
      const cut = content.slice(0, Math.floor(content.length * part));
      const { status, body } = await upload(cut, "events");
      const said = JSON.stringify(body);
      expect(said).toMatch(/"line":\d+/);
      if (status !== 200) continue;
      // ISF ends a line that is cut as a line like any other: what stands there is read or told.
      const picks = await picksOf(cut, "events");
      expect(picks.length).toBeLessThanOrEqual(3);
      if (format === "quakeml") expect(picks).toEqual(whole.slice(0, picks.length));
    }
  });
});
