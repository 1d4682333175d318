import { PNG } from "pngjs";
import { beforeAll, describe, expect, test } from "vitest";
import { binOf } from "#contracts/analytics/histogram.ts";
import { withError } from "#contracts/plots/numbers.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { readSvg } from "../../support/plots/read-svg.ts";
import { sharedService } from "../../support/service.ts";
import { aftershockSequences } from "../../support/statistics/synthetic.ts";

const service = sharedService();
const editor = service.client("editor");
let id: string;

/** A main event of magnitude 6.6 with its aftershocks, among others. */
const EVENTS = aftershockSequences(100).map(({ time, ...event }) => ({
  time: new Date(time).toISOString(),
  ...event,
}));
const LARGEST = EVENTS.reduce((most, event) => (event.magnitude > most.magnitude ? event : most));

beforeAll(async () => {
  ({ id } = await createCatalogue(editor, {
    name: "Sequences <of> Aotearoa & Kaikōura",
    is_public: true,
    events: EVENTS,
  }));
});

const NAMES = [
  "magnitude-frequency",
  "completeness",
  "rates",
  "time-magnitude",
  "depths",
  "omori",
  "density",
  "nearest-neighbour",
] as const;

const atPlot = (name: string, query = "", catalogue = id) => {
  const main = name.startsWith("omori") ? `mainshock=${LARGEST.time}` : "";
  const asked = [main, query].filter(Boolean).join("&");
  return `/api/catalogues/${catalogue}/analytics/${name}${asked && `?${asked}`}`;
};

async function pngOf(path: string): Promise<PNG> {
  const answer = await editor.stream(path);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
  return PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
}

async function svgOf(path: string): Promise<string> {
  const { status, headers, body } = await editor.get<string>(path);
  expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml; charset=utf-8"]);
  return body;
}

describe("each plot", () => {
  test("is well-formed SVG with the catalogue, its version and how it is cited", async () => {
    for (const name of NAMES) {
      const svg = await svgOf(atPlot(`${name}.svg`));
      const shown = readSvg(svg).texts.join(" ");
      expect(shown, name).toContain("Sequences <of> Aotearoa & Kaikōura, version 1");
      expect(shown, name).toContain(`/api/catalogues/${id}/versions/1`);
      expect(shown, name).not.toMatch(/NaN|undefined|Infinity/);
    }
  });

  test("is a PNG of twice the size where that is asked for, and another on dark ground", async () => {
    const ground = ({ data }: PNG) => [...data.subarray(0, 3)];
    for (const name of NAMES) {
      const dark = await pngOf(atPlot(`${name}.png`, "width=320&theme=dark"));
      expect(dark.width, name).toBe(320);
      expect(Math.max(...ground(dark)), name).toBeLessThan(64);
    }
    const once = await pngOf(atPlot("depths.png", "width=360"));
    const twice = await pngOf(atPlot("depths.png", "width=360&scale=2"));
    expect([once.width, twice.width, twice.height]).toEqual([360, 720, 2 * once.height]);
    expect(ground(once)).toEqual([255, 255, 255]);
    expect((await pngOf(atPlot("depths.png"))).width).toBe(720);
  });

  test("of a single event says why there is nothing to fit, and of none is drawn too", async () => {
    const { id: other } = await createCatalogue(editor, { events: [seismicEvent()] });
    for (const name of NAMES) {
      const textsOf = async (query: string, catalogue?: string) =>
        readSvg(await svgOf(atPlot(`${name}.svg`, query, catalogue))).texts.join(" ");
      expect(await textsOf("", other), name).not.toMatch(/NaN|undefined|Infinity/);
      expect(await textsOf("minMagnitude=9"), name).toMatch(/\bno\b/);
    }
  });
});

describe("plots and the answers that they show", () => {
  type Counted = { readonly bins: readonly { readonly count: number }[] };

  test("a plot has a mark for each filled bin", async () => {
    for (const name of NAMES.filter((one) => !/time-magnitude|neighbour/.test(one))) {
      const filters = "minMagnitude=3.2&maxLatitude=-39";
      const { body } = await editor.get<Counted>(atPlot(name, filters));
      const { marks } = readSvg(await svgOf(atPlot(`${name}.svg`, filters)));
      const filled = body.bins.filter(({ count }) => count > 0).length;
      expect(filled, name).toBeGreaterThan(0);
      const cumulative = name === "magnitude-frequency" ? body.bins.length : 0;
      const kind = /magnitude|omori/.test(name) ? "discs" : "bars";
      expect(marks(kind), name).toBe(filled + cumulative);
    }
  });

  test("the legend has b ± σ, Mc and n as the JSON has them", async () => {
    const query = "estimator=utsu&mc=3.2";
    const { body } = await editor.get<{ estimate: { b: number; sigma: number; n: number } }>(
      atPlot("b-value", query),
    );
    const { texts } = readSvg(await svgOf(atPlot("magnitude-frequency.svg", query)));
    const { b, sigma, n } = body.estimate;
    expect(texts).toEqual(
      expect.arrayContaining([
        "Magnitude",
        "Number of events",
        `b = ${withError(b, sigma)}`,
        "Mc = 3.2",
        `n = ${n.toLocaleString("en")}`,
      ]),
    );
  });

  test("more events than dots can show are counted by time, magnitude and depth", async () => {
    const events = [...generateEvents(41, 3_500)];
    const { id: other } = await createCatalogue(editor, { events });
    const { texts, marks } = readSvg(await svgOf(atPlot("time-magnitude.svg", "", other)));
    const known = events.filter(({ magnitude }) => typeof magnitude === "number");
    const times = known.map(({ time }) => Date.parse(String(time)) / 1_000);
    const depths = known.flatMap(({ depth }) => (typeof depth === "number" ? [depth] : []));
    const cellOf = (from: number, to: number, cells: number) => (value: number) =>
      Math.min(cells - 1, Math.floor((value - from) / (Math.max(to - from, 1) / cells)));
    const column = cellOf(Math.min(...times), Math.max(...times), 240);
    const layer = cellOf(Math.min(...depths), Math.max(...depths), 60);
    const cells = known.flatMap(({ magnitude, depth }, i) => [
      `${column(times[i] ?? 0)} magnitude ${binOf(Number(magnitude), 0.1)}`,
      ...(typeof depth === "number" ? [`${column(times[i] ?? 0)} depth ${layer(depth)}`] : []),
    ]);
    expect(known.length).toBeGreaterThan(3_000);
    expect(marks("bars")).toBe(new Set(cells).size);
    expect(texts).toContain("magnitude, the 100 largest");
    expect(texts).toContain(`n = ${known.length.toLocaleString("en")}`);
  });

  test("each magnitude type has its curve where that is asked for", async () => {
    const types = ["ML", "Mw", "ML"].map((magnitude_type, i) =>
      seismicEvent({ magnitude_type, magnitude: 3 + i, time: `2020-01-0${i + 1}T00:00:00Z` }),
    );
    const { id: other } = await createCatalogue(editor, { events: types });
    const { texts, marks } = readSvg(
      await svgOf(atPlot("magnitude-frequency.svg", "by=type", other)),
    );
    expect(marks("line")).toBe(2);
    expect(texts).toContain("cumulative, ML, n = 2");
  });
});

describe("requests for plots", () => {
  test("a plot is not sent again while version, name and parameters are the same", async () => {
    const { id: other } = await createCatalogue(editor, { is_public: true, events: EVENTS });
    const path = atPlot("depths.svg", "", other);
    const guest = createApiClient(service.url);
    const first = await guest.get(path);
    const tag = first.headers.get("etag") ?? "";
    expect(first.headers.get("cache-control")).toBe("public, no-cache");
    expect((await guest.get(path, { "if-none-match": tag })).status).toBe(304);
    const changed = [`${path}?theme=dark`, `${path}?bin=10`, path.replace(".svg", ".png")];
    for (const another of changed) {
      expect((await guest.get(another, { "if-none-match": tag })).status).toBe(200);
    }
    await editor.send("PATCH", `/api/catalogues/${other}`, { name: "Another name" });
    expect((await guest.get(path, { "if-none-match": tag })).status).toBe(200);
  });

  test("an earlier version can be drawn", async () => {
    const { id: other } = await createCatalogue(editor, { events: EVENTS.slice(0, 10) });
    await editor.send("POST", `/api/catalogues/${other}/events`, { events: [seismicEvent()] });
    const texts = async (query: string) =>
      readSvg(await svgOf(atPlot("depths.svg", query, other))).texts.join(" ");
    expect(await texts("asOf=1")).toContain("version 1 · 10 events");
    expect(await texts("")).toContain("version 2 · 11 events");
  });

  test("parameters, formats and catalogues that there are not are refused", async () => {
    for (const [path, field] of [
      ["depths.svg?colour=red", "colour"],
      ["depths.svg?theme=blue", "theme"],
      ["depths.png?scale=3", "scale"],
      ["depths.png?width=200", "width"],
      ["density.svg?cell=0", "cell"],
      ["rates.svg?bin=hour", "bin"],
      ["nearest-neighbour.svg?df=9", "df"],
    ] as const) {
      const answer = await editor.get(`/api/catalogues/${id}/analytics/${path}`);
      const { details } = expectRefusal(answer, "VALIDATION_ERROR");
      expect(JSON.stringify(details)).toContain(field);
    }
    expectRefusal(await editor.get(atPlot("depths.gif")), "NOT_FOUND");
    const nowhere = atPlot("depths.svg", "", "0198f7a2-3c1b-7d44-9a51-ffb3a6d2c011");
    expectRefusal(await editor.get(nowhere), "NOT_FOUND");
  });
});
