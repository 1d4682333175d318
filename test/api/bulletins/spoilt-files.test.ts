import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { UploadResult } from "#contracts/http/upload.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sample } from "../../support/formats/sample.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";
import type { RefusalBody } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
let base = "";
beforeAll(async () => {
  editor = await service.loginAs("editor");
  const events = ["a", "b", "c"].map((name) => ({ bulletin: smallBulletin(name) }));
  const { id } = await createCatalogue(editor, { events, is_public: true });
  base = `/api/catalogues/${id}`;
});

const exported = async (address: string) => (await editor.stream(`${base}/${address}`)).text();

/** Files of several whole events, under the names that their programs give them. */
const FILES: readonly (readonly [string, string, () => string | Promise<string>])[] = [
  ["QuakeML", "events.xml", () => exported("export?format=quakeml")],
  ["SCML", "events.scml", () => exported("fdsnws/event/1/query?format=sc3ml")],
  ["JSON", "events.json", () => exported("export?format=json&include=bulletin")],
  ["ISF", "events.isf", () => exported("export?format=isf")],
  ["NDK", "events.ndk", () => sample("ndk/andes.ndk") + sample("ndk/ridge.ndk")],
  [
    "NonLinLoc",
    "events.hyp",
    () => sample("nonlinloc/version-7.hyp") + sample("nonlinloc/version-6.hyp"),
  ],
  ["hypoDD's phases", "events.pha", () => sample("hypodd/phases.pha")],
  ["hypoDD's relocations", "events.reloc", () => sample("hypodd/relocated.reloc")],
  ["Nordic", "events.out", () => sample("nordic/old.nor") + sample("nordic/new.nor")],
];
const NAMES = [...FILES.map(([, name]) => name), "events.csv", "events"];

type Row = { readonly bulletin?: Bulletin };

const upload = (content: string, fileName: string) =>
  editor.send<UploadResult & RefusalBody>(
    "POST",
    "/api/upload?include=bulletin",
    fileForm(content, { fileName }),
  );

async function bulletinsOf(content: string, fileName: string) {
  const { body } = await upload(content, fileName);
  expect(body).toMatchObject({ errors: [] });
  return (body.data as Row[]).map(({ bulletin }) => bulletin);
}

/** Places in the middle of lines in the second half of a file, before what ends it. */
function middles(content: string): number[] {
  const end = content.includes("\nSTOP") ? content.indexOf("\nSTOP") : content.length;
  return [0.55, 0.65, 0.75, 0.85, 0.95].map((part) => {
    const at = Math.floor(end * part);
    const from = content.lastIndexOf("\n", at - 1) + 1;
    const to = content.indexOf("\n", at);
    return to < 0 ? at : Math.floor((from + to) / 2);
  });
}

describe.each(FILES)("a file of whole events as %s", (_, rightName, contentOf) => {
  test("is found by its content under every other name", async () => {
    const content = await contentOf();
    const right = await bulletinsOf(content, rightName);
    expect(right.length).toBeGreaterThan(1);
    for (const bulletin of right) expect(bulletin?.origin).not.toHaveLength(0);
    for (const name of NAMES) {
      expect([name, await bulletinsOf(content, name)]).toEqual([name, right]);
    }
  });

  test("that is cut in its middle gives whole events alone, and says where it ends", async () => {
    const content = await contentOf();
    const whole = await bulletinsOf(content, rightName);
    for (const length of middles(content)) {
      const { status, body } = await upload(content.slice(0, length), "events");
      const errors = status === 200 ? body.errors : (body.details as unknown[]);
      expect([length, errors]).toEqual([
        length,
        expect.arrayContaining([expect.objectContaining({ line: expect.any(Number) })]),
      ]);
      const rows = status === 200 ? (body.data as Row[]) : [];
      expect(rows.length).toBeLessThan(whole.length);
      for (const { bulletin } of rows) expect(whole).toContainEqual(bulletin);
    }
  });
});
