import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { UploadResult } from "#contracts/http/upload.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { documentOf, eventOf, originOf } from "../../support/formats/quakeml-documents.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";
import { createFromFile } from "../support/whole-documents.ts";

const service = sharedService();
const MANY = 1_000_000;
let editor: ApiClient;
let id = "";
let path = "";
beforeAll(async () => {
  editor = await service.loginAs("editor");
  ({ id } = await createCatalogue(editor, { events: [{ bulletin: smallBulletin() }] }));
  const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
  path = `/api/catalogues/${id}/events/${body.events[0]?.id}`;
});

const many = (piece: (i: number) => string) =>
  Array.from({ length: MANY }, (_, i) => piece(i)).join("");
const beside = (content: string) =>
  documentOf(
    eventOf(`${originOf()}<x:a xmlns:x="urn:x">${content}</x:a>`, 'publicID="smi:x.y/hostile"'),
    eventOf(originOf(), 'publicID="smi:x.y/good"'),
  );

const HOSTILE: readonly (readonly [string, () => string])[] = [
  ["elements 1,000 deep", () => beside("<x:b>".repeat(1000) + "</x:b>".repeat(1000))],
  ["a million attributes", () => beside(`<x:b ${many((i) => `a${i}="" `)}/>`)],
  ["a million siblings", () => beside("<x:b/>".repeat(MANY))],
  [
    "entities that multiply",
    () => `<!DOCTYPE q [<!ENTITY a "&b;&b;"><!ENTITY b "lol">]>${beside("&a;")}`,
  ],
  [
    "SCML with elements 1,000 deep",
    () =>
      `<seiscomp xmlns="http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.11" version="0.11"><EventParameters>${"<event>".repeat(1000)}`,
  ],
  [
    "JSON 1,000 deep",
    () => `[{"time":"2020-01-01","bulletin":${'{"a":'.repeat(1000)}1${"}".repeat(1000)}}]`,
  ],
];

describe("a hostile file of whole events", () => {
  test.each(HOSTILE)(
    "with %s is refused or counted, while others are served",
    async (_, content) => {
      const before = await editor.get(`${path}?include=bulletin`);
      const form = fileForm(content(), { fileName: "events.xml" });
      const uploading = editor.send<UploadResult>("POST", "/api/upload?include=bulletin", form);
      for (let i = 0; i < 5; i++) expect((await editor.get(path)).status).toBe(200);
      const { status, headers, body } = await uploading;
      if (status !== 200) expectRefusal({ status, headers, body }, "PARSE_ERROR");
      else {
        expect(body.errorCount).toBeGreaterThan(0);
        const ids = body.data.map((row) => row["source_id"]);
        expect(["", "good"]).toContain(ids.join());
      }
      expect(await editor.get(`${path}?include=bulletin`)).toMatchObject({ body: before.body });
    },
  );
});

describe("a hostile bulletin", () => {
  test.each([
    ["foreign elements 1,000 deep", { foreign: deepForeign(1000) }],
    ["a member named like the language's own", { constructor: { prototype: {} } }],
  ])("with %s is refused, and changes nothing", async (_, members) => {
    const bulletin = { ...smallBulletin(), ...members };
    const answer = await editor.send("PUT", `${path}/bulletin`, { bulletin });
    expect([400, 413]).toContain(answer.status);
    const { body } = await editor.get<{ version: number }>(`${path}/bulletin`);
    expect(body.version).toBe(1);
  });

  test("has no prototype: a member named __proto__ is refused, a foreign element of that name is kept", async () => {
    const text = JSON.stringify({ bulletin: smallBulletin() });
    const member = text.replace('{"bulletin":{', '{"bulletin":{"__proto__":{"type":"explosion"},');
    expect((await editor.send("PUT", `${path}/bulletin`, member)).status).toBe(400);
    const foreign = ["__proto__", "constructor", "toString"].map((name) => ({ ns: "urn:x", name }));
    const bulletin = { ...smallBulletin("named"), foreign };
    const { id: other } = await createCatalogue(editor, { events: [{ bulletin }] });
    const list = `/api/catalogues/${other}/events/filtered?include=bulletin`;
    const { body } = await editor.get<{ events: { bulletin: Bulletin }[] }>(list);
    expect(body.events[0]?.bulletin.foreign).toEqual(foreign);
  });
});

describe("references of a bulletin that lead in circles", () => {
  test("are kept, shown, exported and deleted", async () => {
    const same = "smi:test.local/circle/1";
    const bulletin: Bulletin = {
      publicID: same,
      preferredOriginID: same,
      preferredMagnitudeID: same,
      preferredFocalMechanismID: same,
      origin: (smallBulletin().origin ?? []).slice(0, 1).map((one) => ({
        ...one,
        publicID: same,
        arrival: [{ publicID: same, pickID: same, phase: "P" }],
      })),
      magnitude: [
        {
          publicID: same,
          originID: same,
          mag: { value: 4 },
          stationMagnitudeContribution: [{ stationMagnitudeID: same }],
        },
      ],
      stationMagnitude: [{ publicID: same, originID: same, amplitudeID: same, mag: { value: 4 } }],
      amplitude: [{ publicID: same, pickID: same, genericAmplitude: { value: 1 } }],
      focalMechanism: [
        {
          publicID: same,
          triggeringOriginID: same,
          momentTensor: [{ publicID: same, derivedOriginID: same, momentMagnitudeID: same }],
        },
      ],
    };
    const { id: circle } = await createCatalogue(editor, { events: [{ bulletin }] });
    const base = `/api/catalogues/${circle}`;
    const { body } = await editor.get<{ events: { id: string; bulletin: Bulletin }[] }>(
      `${base}/events/filtered?include=bulletin`,
    );
    expect(body.events[0]?.bulletin).toEqual(bulletin);
    for (const address of [
      "export?format=quakeml",
      "export?format=isf",
      "fdsnws/event/1/query?includeall=true",
      "fdsnws/event/1/query?includeallmagnitudes=true&includestationmagnitudes=true",
    ]) {
      const answer = await editor.stream(`${base}/${address}`);
      expect([address, answer.status]).toEqual([address, 200]);
      expect(await answer.text()).not.toBe("");
    }
    const solution = `${base}/events/${body.events[0]?.id}/solutions/magnitude/${encodeURIComponent(same)}`;
    const deleted = await editor.send("DELETE", `${solution}?cascade=true`);
    expect(deleted.body).toMatchObject({ deleted: [{ kind: "magnitude", publicID: same }] });
  });

  test("and one id 100,000 times, take no longer than as many ids", async () => {
    const file = (idOf: (i: number) => string) => {
      const arrivals = Array.from(
        { length: 100_000 },
        (_, i) =>
          `<arrival publicID="${idOf(i)}"><pickID>${idOf(i)}</pickID><phase>P</phase></arrival>`,
      );
      return documentOf(eventOf(originOf(arrivals.join(""), "smi:x.y/a")));
    };
    const timed = async (content: string) => {
      const start = performance.now();
      const { id: made } = await createFromFile(editor, content);
      const { body } = await editor.get<{ events: { bulletin_counts: object }[] }>(
        `/api/catalogues/${made}/events/filtered`,
      );
      expect(body.events[0]?.bulletin_counts).toMatchObject({ arrivals: 100_000 });
      return performance.now() - start;
    };
    const different = await timed(file((i) => `smi:x.y/a${i}`));
    expect(await timed(file(() => "smi:x.y/a"))).toBeLessThan(2 * different + 1000);
  });
});

function deepForeign(levels: number): object[] {
  const one = { ns: "urn:x", name: "a" };
  return [levels === 0 ? one : { ...one, children: deepForeign(levels - 1) }];
}
