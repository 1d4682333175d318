import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { startChromium, type WindowOptions, windowOn } from "../../support/chromium.ts";

export type TestBrowser = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console that a test expects, for example of a refused request. */
  readonly allow: (pattern: RegExp) => void;
};

/** Started by the first test of a file, for all of them. */
let browser: Promise<Browser> | undefined;

export async function closeChromium(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/**
 * A window on the service that shares nothing with the others. When the test ends, nothing may have been
 * reported in its console, no policy broken and no other host asked.
 */
export async function openBrowser(
  baseURL: string,
  options: WindowOptions = {},
): Promise<TestBrowser> {
  browser ??= startChromium();
  const context = await (await browser).newContext(windowOn(baseURL, options));
  const faults: string[] = [];
  const allowed: RegExp[] = [];
  const watch = (page: Page): void => {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
  };
  context.on("page", watch);
  context.on("request", (request) => {
    const url = new URL(request.url());
    const isHere = url.origin === new URL(baseURL).origin || !url.protocol.startsWith("http");
    if (!isHere) faults.push(`asked another host: ${request.url()}`);
  });
  const page = await context.newPage();
  onTestFinished(async () => {
    await context.close();
    expect(faults.filter((fault) => !allowed.some((pattern) => pattern.test(fault)))).toEqual([]);
  });
  return { page, context, allow: (pattern) => allowed.push(pattern) };
}
