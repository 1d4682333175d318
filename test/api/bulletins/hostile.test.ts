import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { UploadResult } from "#contracts/http/upload.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createFromFile } from "../../support/api/whole-documents.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { documentOf, eventOf, originOf } from "../../support/formats/quakeml-documents.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const MANY = 1_000_000;
const editor = clientOf(service, "editor");
let event: Awaited<ReturnType<typeof oneEvent>>;
beforeAll(async () => {
  event = await oneEvent(editor, { bulletin: smallBulletin() });
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

test.each(HOSTILE)(
  "a hostile file with %s is refused or counted, while others are served",
  async (_, content) => {
    const { path } = event;
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

test("a bulletin that is too deep or has members named like the language's own is refused; foreign elements may be named so", async () => {
  const { send, bulletin } = event;
  const small = JSON.stringify({ bulletin: smallBulletin() });
  for (const body of [
    { bulletin: { ...smallBulletin(), foreign: deepForeign(1000) } },
    { bulletin: { ...smallBulletin(), constructor: { prototype: {} } } },
    small.replace('{"bulletin":{', '{"bulletin":{"__proto__":{"type":"explosion"},'),
  ]) {
    expect([400, 413]).toContain((await send("PUT", "/bulletin", body)).status);
  }
  expect((await bulletin()).version).toBe(1);
  const foreign = ["__proto__", "constructor", "toString"].map((name) => ({ ns: "urn:x", name }));
  const named = await oneEvent(editor, { bulletin: { ...smallBulletin("named"), foreign } });
  expect((await named.bulletin()).bulletin.foreign).toEqual(foreign);
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
    const circle = await oneEvent(editor, { bulletin });
    expect((await circle.bulletin()).bulletin).toEqual(bulletin);
    for (const address of [
      "export?format=quakeml",
      "export?format=isf",
      "fdsnws/event/1/query?includeall=true",
      "fdsnws/event/1/query?includeallmagnitudes=true&includestationmagnitudes=true",
    ]) {
      const answer = await editor.stream(`${circle.catalogue}/${address}`);
      expect([address, answer.status]).toEqual([address, 200]);
      expect(await answer.text()).not.toBe("");
    }
    const solution = `/solutions/magnitude/${encodeURIComponent(same)}`;
    const deleted = await circle.send("DELETE", `${solution}?cascade=true`);
    expect(deleted.body).toMatchObject({ deleted: [{ kind: "magnitude", publicID: same }] });
  });

  test("and one id many times, are read", async () => {
    const COUNT = 50_000;
    const arrival =
      '<arrival publicID="smi:x.y/a"><pickID>smi:x.y/a</pickID><phase>P</phase></arrival>';
    const file = documentOf(eventOf(originOf(arrival.repeat(COUNT), "smi:x.y/a")));
    const { id } = await createFromFile(editor, file);
    const counts = { bulletin_counts: { arrivals: COUNT } };
    expect(await listEvents(editor, id)).toMatchObject([counts]);
  });
});

function deepForeign(levels: number): object[] {
  const one = { ns: "urn:x", name: "a" };
  return [levels === 0 ? one : { ...one, children: deepForeign(levels - 1) }];
}
