import { SaxesParser } from "saxes";
import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { createFromFile, exportWhole } from "../support/whole-documents.ts";

const service = sharedService();
let editor: ApiClient;
/** The event with every member of QuakeML, and foreign parts on every type. */
let given: { readonly xml: string; readonly sha256: string };
beforeAll(async () => {
  editor = await service.loginAs("editor");
  const bulletin = everyMember((type) =>
    type === "WaveformStreamID" ? ATTRIBUTES : [...ATTRIBUTES, NESTED],
  );
  const { id } = await createCatalogue(editor, { events: [{ bulletin }] });
  given = await wholeOf(id);
});

const ATTRIBUTES = ["urn:a", "urn:b"].map((ns) => ({
  ns,
  name: "mark",
  attribute: true,
  text: ns,
}));
/** Five deep, of three namespaces and QuakeML's own. */
const NESTED = [1, 2, 3, 4].reduce<object>(
  (child, level) => ({ ns: `urn:level:${level % 3}`, name: "level", children: [child] }),
  { ns: "http://quakeml.org/xmlns/quakeml/1.2", name: "core", text: "5" },
);

async function wholeOf(id: string) {
  type Events = { readonly events: readonly { readonly bulletin_sha256: string }[] };
  const { body } = await editor.get<Events>(`/api/catalogues/${id}/events`);
  expect(body.events).toHaveLength(1);
  const xml = await exportWhole(editor, id, "given");
  return { xml, sha256: body.events[0]?.bulletin_sha256 ?? "" };
}

/** The event alone: what stands around it names the catalogue. */
const eventOf = (xml: string) => xml.slice(xml.indexOf("<event "), xml.indexOf("</event>"));

/** The document with the children of each element in the opposite order. */
function reversed(xml: string): string {
  const parser = new SaxesParser({ xmlns: true });
  const open: string[][] = [[]];
  const starts: string[] = [];
  parser.on("opentag", ({ name, attributes }) => {
    const texts = Object.values(attributes).map((one) => ` ${one.name}="${escaped(one.value)}"`);
    starts.push(`<${name}${texts.join("")}>`);
    open.push([]);
  });
  parser.on("text", (text) => open.at(-1)?.push(escaped(text)));
  parser.on("closetag", ({ name }) => {
    const children = open.pop() ?? [];
    open.at(-1)?.push(`${starts.pop()}${children.reverse().join("")}</${name}>`);
  });
  parser.write(xml).close();
  return open.flat().join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

describe("a file with every member of QuakeML, and foreign parts on every type,", () => {
  test("comes back to the byte, with the same hash", async () => {
    expect(
      leavesOf(given.xml).filter((leaf) => leaf.includes("{urn:level:")).length,
    ).toBeGreaterThan(20);
    const { id, validationReport } = await createFromFile(editor, given.xml);
    for (const { dropped } of Object.values(validationReport.elements ?? {})) {
      expect(dropped).toBe(0);
    }
    const again = await wholeOf(id);
    expect(eventOf(again.xml)).toBe(eventOf(given.xml));
    expect(again.sha256).toBe(given.sha256);
  });

  test("keeps every leaf where its members stand in the opposite order", async () => {
    const backwards = reversed(given.xml);
    expect(leavesOf(backwards)).toEqual(leavesOf(given.xml));
    const { id } = await createFromFile(editor, backwards);
    expect(leavesOf((await wholeOf(id)).xml)).toEqual(leavesOf(given.xml));
  });
});
