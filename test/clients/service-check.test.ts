import { beforeAll, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { awkwardEvents, isPole } from "./support/events.ts";

// The twelve tests of fdsn-service-check for event services, which a page of another origin runs.
const service = await useReachableService();
const ORIGIN = { origin: "https://check.example.org" };
const EVENTS = awkwardEvents(30);
let base = "";

beforeAll(async () => {
  const editor = await service.loginAs("editor");
  const yesterday = new Date(Date.now() - 3_600_000).toISOString();
  const recent = seismicEvent({ source_id: "recent", time: yesterday });
  const events = [...EVENTS, recent];
  const { id } = await createCatalogue(editor, { name: "Checked", events, is_public: true });
  base = `${service.url}/api/catalogues/${id}/fdsnws/event/1`;
});

type Answer = { readonly status: number; readonly type: string | null; readonly text: string };

/** A script of a browser sees an answer only with the header that lets it. */
async function ask(path: string): Promise<Answer> {
  const answer = await fetch(`${base}/${path}`, { headers: ORIGIN });
  expect([path, answer.headers.get("access-control-allow-origin")]).toEqual([path, "*"]);
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get("content-type"), text };
}

const eventsIn = (xml: string) =>
  [...xml.matchAll(/<event publicID="([^"]+)"/g)].map(([, id]) => id);
const lastDay = () => new Date(Date.now() - 86_400_000).toISOString();

test("version is three numbers", async () => {
  expect((await ask("version")).text.trim()).toMatch(/^\d+\.\d+\.\d+$/);
});

test("nothing found is 204", async () => {
  const { status, text } = await ask("query?minmagnitude=99&nodata=204");
  expect([status, text]).toEqual([204, ""]);
});

test("nothing found is 404 when asked for", async () => {
  expect((await ask("query?minmagnitude=99&nodata=404")).status).toBe(404);
});

test("the last day has its events, with and without a Z in the time of the query", async () => {
  for (const start of [lastDay().slice(0, 19), `${lastDay().slice(0, 19)}Z`]) {
    const { status, type, text } = await ask(`query?starttime=${start}`);
    expect([status, type]).toEqual([200, "application/xml"]);
    expect(eventsIn(text)).toHaveLength(1);
  }
});

test("catalogs and contributors are XML with an entry each", async () => {
  expect((await ask("catalogs")).text).toContain("<Catalog>Checked</Catalog>");
  expect((await ask("contributors")).text).toContain("<Contributor>WEL</Contributor>");
});

test("fractions of seconds are kept, and times end in Z", async () => {
  const { text } = await ask("query?eventid=ev3");
  const times = [...text.matchAll(/<(?:time><value|creationTime)>([^<]+)/g)].map(
    ([, time]) => time,
  );
  expect(times).toContain(EVENTS[3]?.time);
  for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
});

test("an event is found by its public id, and by the best guess at its id", async () => {
  const [publicId = ""] = eventsIn((await ask("query?limit=1")).text);
  for (const id of [publicId, publicId.split("/").at(-1) ?? ""]) {
    const { text } = await ask(`query?eventid=${encodeURIComponent(id)}`);
    expect([id, eventsIn(text)]).toEqual([id, [publicId]]);
  }
});

test("a box across the date line has what is on both sides", async () => {
  const longitudes = "minlongitude=170&maxlongitude=190";
  const { text } = await ask(`query?${longitudes}&endtime=2020-01-01&format=text`);
  const found = text
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split("|")[0]);
  const expected = EVENTS.filter(
    (event) => event.time < "2020" && (Math.abs(event.longitude) >= 170 || isPole(event)),
  );
  expect(found.toSorted()).toEqual(expected.map(({ source_id }) => source_id).toSorted());
});

test("the WADL is readable for scripts of other origins too", async () => {
  const { status, text } = await ask("application.wadl");
  expect([status, text.includes('<method name="GET" id="query"')]).toEqual([200, true]);
});
