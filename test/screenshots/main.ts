/** `npm run screenshots`: every page of the console in both themes, of the sample catalogue. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { type BenchService, startBenchService } from "../bench/bench-service.ts";
import { hasChromium } from "../browser/support/chromium.ts";
import { launchChromium } from "../browser/support/launch-chromium.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";

const { values } = parseArgs({
  options: {
    into: { type: "string", default: "screenshots" },
    width: { type: "string", default: "1280" },
    height: { type: "string", default: "800" },
    only: { type: "string" },
  },
});

type Routes = { readonly routes: readonly { readonly path: string }[] };

/** The console is a program for browsers, with types of its own: it is not imported by its name. */
const CONSOLE = new URL("../../services/console/routes.ts", import.meta.url).href;

/** Pages that show more at another address. */
const FURTHER = [
  "/catalogues/:id/versions?from=1&to=2",
  ...[
    "completeness",
    "stability",
    "over-time",
    "rates",
    "time",
    "moment",
    "inter-event",
    "depths",
    "density",
    "omori",
    "clusters",
    "quality",
    "section",
    "section&along=profile",
    "decluster&operation=:operation",
  ].map((tab) => `/catalogues/:id/analytics?tab=${tab}`),
];

/** Time for pictures and animations after the last request. */
const REST_MS = 700;

if (!hasChromium) {
  process.stderr.write("There is no Chromium on this machine\n");
  process.exitCode = 1;
} else {
  const service = await startBenchService();
  try {
    await takeAll(service, await addressesOf(service));
  } finally {
    await service.close();
  }
}

/** The pages' addresses with the ids of the sample catalogue and of its largest event. */
async function addressesOf({ client }: BenchService): Promise<readonly string[]> {
  const { body: sample } = await client.send<{ catalogueId: string }>("POST", "/api/sample", {});
  const id = sample.catalogueId;
  const { body: found } = await client.get<{ events: readonly { id: string }[] }>(
    `/api/catalogues/${id}/events/filtered?orderBy=magnitude&limit=1`,
  );
  const event = found.events[0]?.id ?? "";
  await client.send("PATCH", `/api/catalogues/${id}/events/${event}`, { depth: 9.5 });
  const { body: accepted } = await client.send<{ operationId: string }>(
    "POST",
    `/api/catalogues/${id}/analytics/decluster`,
    { method: "gardner-knopoff" },
    { prefer: "respond-async" },
  );
  const { routes }: Routes = await import(CONSOLE);
  return [...routes.map(({ path }) => path), ...FURTHER].map((path) =>
    path
      .replace("/operations/:id", `/operations/${accepted.operationId}`)
      .replace(":operation", accepted.operationId)
      .replace(":id", id)
      .replace(":eventId", event),
  );
}

async function takeAll({ url, token }: BenchService, addresses: readonly string[]): Promise<void> {
  await mkdir(values.into, { recursive: true });
  for (const theme of ["light", "dark"] as const) {
    const directory = await createTemporaryDirectory();
    const context = await launchChromium(join(directory.path, "profile"), url, {
      theme,
      width: Number(values.width),
      height: Number(values.height),
    });
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    const page = context.pages()[0] ?? (await context.newPage());
    for (const address of addresses) {
      const name = `${nameOf(address)}-${theme}.png`;
      if (values.only !== undefined && !name.includes(values.only)) continue;
      await take(page, address, join(values.into, name));
      process.stdout.write(`${name}\n`);
    }
    await context.close();
    await directory.remove();
  }
}

async function take(page: Page, address: string, path: string): Promise<void> {
  await page.goto(address);
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(`!document.body.innerText.includes("Loading…")`);
  await page.waitForTimeout(REST_MS);
  await page.screenshot({ path });
}

/** "/catalogues/<id>/analytics?tab=rates" → "catalogues-id-analytics-tab-rates". */
function nameOf(address: string): string {
  const named = address.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id");
  return named.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "first";
}
