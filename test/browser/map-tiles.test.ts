import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { describeConsole, ownConsole } from "./support/console.ts";

const PICTURE = join(import.meta.dirname, "../fixtures/plots/beach-ball-normal.png");

const asked: string[] = [];
const tiles = createServer(async (request, response) => {
  asked.push(request.url ?? "");
  response.writeHead(200, { "content-type": "image/png" }).end(await readFile(PICTURE));
});
await new Promise<void>((resolve) => tiles.listen(0, "127.0.0.1", resolve));
afterAll(() => tiles.close());
const origin = `http://127.0.0.1:${(tiles.address() as AddressInfo).port}`;

const { service, open } = await ownConsole({
  MAP_TILES_URL: `${origin}/{z}/{x}/{y}.png`,
  MAP_TILES_CREDIT: "© Maps <b>& others</b>",
});

describeConsole("the tiles that the service names", () => {
  test("the tiles that the service names lie behind the events, with their credit as text", async () => {
    const { id } = await createCatalogue(await service.loginAs("editor"), {
      events: [...generateEvents(3, 50)],
      is_public: true,
    });
    const { page } = await open("guest", `/catalogues/${id}`, {
      allow: new RegExp(`^asked another host: ${origin}/\\d+/\\d+/\\d+\\.png$`),
    });
    await page.locator("[data-drawn]").waitFor();
    await page.locator("img.leaflet-tile-loaded").first().waitFor();
    expect(asked.length).toBeGreaterThan(0);
    for (const path of asked) expect(path).toMatch(/^\/\d+\/\d+\/\d+\.png$/);
    const credits = page.locator(".leaflet-control-attribution");
    expect(await credits.textContent()).toContain("© Maps <b>& others</b>");
  });
});
