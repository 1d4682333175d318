import { expect, test } from "vitest";
import { historyOf, imported, useImports } from "./import-scene.ts";

const sound = { latitude: -41, longitude: 174, depth: 10, magnitude: 3 };
const row = (source_id: string, hour: number, values: object = {}) => ({
  row: { source_id, time: `2020-01-01T0${hour}:00:00Z`, ...sound, ...values },
});
const NO_ORIGIN = '<event publicID="smi:nz.org.geonet/no-origin">\n</event>\n';

const DAY = { startDate: "2020-01-01T00:00:00Z", endDate: "2020-01-02T00:00:00Z" };

const scene = useImports({
  events: [
    row("first", 1),
    row("beyond", 2, { latitude: 95 }),
    { ...row("no-origin", 3), xml: NO_ORIGIN },
    row("last", 4),
  ],
});

/** The line of each event in the last answer to a request for it. */
async function servedLines(format: string): Promise<Map<string, number>> {
  const { parameters } = scene.agency.requests.at(-1) ?? { parameters: {} };
  const query = new URLSearchParams({ ...parameters, format });
  const text = await (await fetch(`${scene.agency.url}/query?${query}`)).text();
  const lines = text.split("\n");
  return new Map(
    ["beyond", "no-origin"].map((id) => [id, lines.findIndex((line) => line.includes(id)) + 1]),
  );
}

test("errors of QuakeML name the line of the event, in the answer and in the history", async () => {
  const editor = await scene.service.loginAs("editor");
  const { errors, catalogueId, newEvents } = await imported(editor, { ...DAY, detail: "full" });
  const lines = await servedLines("xml");
  expect(newEvents).toBe(2);
  const where = (id: string) =>
    `line ${lines.get(id)} of the answer for 2020-01-01T00:00:00.000000Z to 2020-01-02T00:00:00.000000Z`;
  const expected = [
    {
      message: "the event has no origin",
      source_id: "no-origin",
      line: lines.get("no-origin"),
      where: where("no-origin"),
    },
    {
      message: "latitude must be between -90 and 90 deg",
      source_id: "beyond",
      line: lines.get("beyond"),
      where: `${where("beyond")}, the event of 2020-01-01T02:00:00Z`,
    },
  ];
  expect(errors).toEqual(expected);
  const [run] = await historyOf(editor, catalogueId);
  expect(run?.errors).toEqual(expected);
});

test("errors of FDSN text name the line of the event", async () => {
  const editor = await scene.service.loginAs("editor");
  const { errors } = await imported(editor, { ...DAY, detail: "summary" });
  const lines = await servedLines("text");
  expect(lines.get("beyond")).toBeGreaterThan(1);
  expect(errors).toMatchObject([{ source_id: "beyond", line: lines.get("beyond") }]);
});
