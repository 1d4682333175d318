import { expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";

const service = await useReachableService();
/** More than a browser has connections to one service. */
const WINDOWS = 8;

test.skipIf(!hasChromium)(
  "eight windows of a catalogue load and are offered what comes",
  async () => {
    const editor = await service.loginAs("editor");
    const event = { time: "2024-01-01T00:00:00Z", latitude: 1, longitude: 2, magnitude: 3 };
    const { id } = await createCatalogue(editor, { name: "Everywhere", events: [event] });
    await editor.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    const { context, page: first } = await openBrowser(service.url);
    const pages = [first];
    while (pages.length < WINDOWS) pages.push(await context.newPage());
    for (const page of pages) {
      await page.clock.install();
      await page.goto(`/catalogues/${id}`);
      await page.getByRole("button", { name: "Version 1 (latest)" }).waitFor();
    }
    await editor.send("POST", `/api/catalogues/${id}/events`, {
      events: [{ ...event, time: "2024-02-01T00:00:00Z" }],
    });
    const offers = pages.map((page) => page.getByText("Version 2 has arrived."));
    const offered = async () =>
      (await Promise.all(offers.map((offer) => offer.isVisible()))).filter(Boolean).length;
    await expect.poll(offered).toBe(3);
    for (const page of pages) await page.clock.fastForward(30_000);
    await expect.poll(offered).toBe(WINDOWS);
  },
);
