import { beforeAll, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { describeConsole, sharedConsole } from "./support/console.ts";

const { service, open } = sharedConsole();

/** Bytes of a page's first visit, with the heads of the answers. */
const MOST = 300_000;

/** Where the catalogues' events lie: maps of every detail. */
const AREAS = {
  Switzerland: { west: 6.1, east: 10.3, south: 45.9, north: 47.7 },
  Europe: { west: -12, east: 42, south: 34, north: 68 },
  Italy: { west: 7, east: 18, south: 37, north: 46 },
  "New Zealand": { west: 166, east: 179, south: -47, north: -34 },
  "the world": { west: -179, east: 179, south: -75, north: 80 },
};
const COUNT = 500;

function eventsIn({ west, east, south, north }: (typeof AREAS)["Italy"]) {
  return Array.from({ length: COUNT }, (_, i) => ({
    source_id: `e${i}`,
    time: new Date(Date.UTC(2020, 0, 1, i)).toISOString(),
    latitude: south + (((i * 37) % COUNT) / COUNT) * (north - south),
    longitude: west + (i / COUNT) * (east - west),
    depth: i % 90,
    magnitude: 2 + (i % 30) / 10,
  }));
}

/** The bytes that came over the line for a page, until it asks for nothing more; the largest answers first. */
async function bytesOf(address: string): Promise<readonly (readonly [number, string])[]> {
  const { page, context } = await open("guest", null, { width: 1440, height: 900 });
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const addresses = new Map<string, string>();
  const answers: [number, string][] = [];
  session.on("Network.responseReceived", ({ requestId, response }) => {
    addresses.set(requestId, new URL(response.url).pathname);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    answers.push([encodedDataLength, addresses.get(requestId) ?? ""]);
  });
  await page.goto(address, { waitUntil: "networkidle" });
  return answers.sort(([a], [b]) => b - a);
}

describeConsole("the first visit", () => {
  const ids = new Map<string, string>();

  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    for (const [name, area] of Object.entries(AREAS)) {
      const events = eventsIn(area);
      const { id } = await createCatalogue(editor, { name, events, is_public: true });
      ids.set(name, id);
    }
  });

  test.each(
    Object.keys(AREAS).flatMap((name) => [
      [`the list with ${name}`, () => `/?search=${encodeURIComponent(name)}`] as const,
      [`the work page of ${name}`, () => `/catalogues/${ids.get(name)}`] as const,
    ]),
  )("of %s takes no more than 300,000 bytes", async (_page, addressOf) => {
    const answers = await bytesOf(addressOf());
    const total = answers.reduce((sum, [bytes]) => sum + bytes, 0);
    const paths = answers.map(([, path]) => path);
    expect(paths).toContainEqual(expect.stringMatching(/\/(?:world|middle|near|fine)-/));
    expect(total).toBeLessThanOrEqual(MOST);
  });
});
