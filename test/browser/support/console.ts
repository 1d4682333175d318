import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { describe, expect, onTestFinished } from "vitest";
import {
  hasChromium,
  startChromium,
  type WindowOptions,
  windowOn,
} from "../../support/chromium.ts";
import { reachableSettings, useReachableService } from "../../support/reachable-service.ts";
import { sharedService, type TestRole, type TestService } from "../../support/service.ts";

type Options = WindowOptions & {
  /** Errors of the console that a test expects, for example of a refused request. */
  readonly allow?: RegExp;
  /** Of an earlier window. */
  readonly session?: Awaited<ReturnType<BrowserContext["storageState"]>>;
};

export type TestBrowser = {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly allow: (pattern: RegExp) => void;
};

/** A console, and windows on it. */
export type TestConsole = {
  readonly service: TestService;
  /**
   * A window of its own on a page, with the session that the file's windows of this role share.
   * @param address none where the test has to prepare the window before its first page
   */
  readonly open: (
    role: TestRole,
    address?: string | null,
    options?: Options,
  ) => Promise<TestBrowser>;
};

export const describeConsole = describe.skipIf(!hasChromium);

/** The console that files share, with accounts of the file alone: what is internal or public, all files see. */
export const sharedConsole = (): TestConsole => consoleOf(sharedService(reachableSettings));

/** The console of a service of the file alone. */
export async function ownConsole(
  ...settings: Parameters<typeof useReachableService>
): Promise<TestConsole> {
  return consoleOf(await useReachableService(...settings));
}

export function consoleOf(service: TestService): TestConsole {
  const sessions = new Map<TestRole, Options["session"]>();
  return {
    service,
    async open(role, address, options = {}) {
      const session = sessions.get(role);
      const browser = await openBrowser(service.url, { ...options, ...(session && { session }) });
      if (role !== "guest" && session === undefined) {
        await signInAs(browser.page, service, role);
        sessions.set(role, await browser.context.storageState());
      }
      if (address) await browser.page.goto(address);
      return browser;
    },
  };
}

/** Started by the first test of a file, for all of them. */
let chromium: Promise<Browser> | undefined;

export async function closeChromium(): Promise<void> {
  await (await chromium)?.close();
  chromium = undefined;
}

/**
 * A window on the service that shares nothing with the others. When the test ends, nothing may have been
 * reported in its console, no policy broken and no other host asked.
 */
export async function openBrowser(
  baseURL: string,
  { allow, session, ...options }: Options = {},
): Promise<TestBrowser> {
  chromium ??= startChromium();
  const context = await (await chromium).newContext({
    ...windowOn(baseURL, options),
    ...(session && { storageState: session }),
  });
  const faults: string[] = [];
  const allowed = allow ? [allow] : [];
  context.on("page", (page) => {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
  });
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

/** Gives the page's window a new session of the role's account; the next page that it opens has it. */
export async function signInAs(page: Page, service: TestService, role: TestRole): Promise<void> {
  await service.loginAs(role);
  const answer = await page.request.post("/api/auth/login", { data: service.signInOf(role) });
  if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}`);
}

type Credentials = { readonly email: string; readonly password: string };

/** Signs in by the page of the console, as a person does. */
export async function signInWith(page: Page, { email, password }: Credentials): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  // A narrow window has it folded away.
  await page.locator("header").getByText("Sign out").waitFor({ state: "attached" });
}

/** The button that tells who is signed in. */
export function accountMenu(page: Page): Locator {
  return page.getByRole("button", { name: /^Account of/ });
}

export async function signOut(page: Page): Promise<void> {
  await accountMenu(page).click();
  await page.getByRole("button", { name: "Sign out" }).click();
}

const axeSource = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Of all rules, those which look at colours: the two themes differ in nothing else. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * What axe finds on the page in the light theme, and of its colours in the dark one, which stays: each
 * violation as its theme, its rule and the elements. The page follows the theme of the system.
 */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await axeSource);
  const found: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme="${theme}"]`).waitFor();
    const violations = await violationsNow(page, theme === "dark" ? COLOUR_RULES : undefined);
    found.push(...violations.map((violation) => `${theme}: ${violation}`));
  }
  return found;
}

function violationsNow(page: Page, rules?: string[]): Promise<readonly string[]> {
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { readonly axe: typeof import("axe-core") };
    const { violations } = await axe.run({
      resultTypes: ["violations"],
      ...(rules && { runOnly: rules }),
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }, rules);
}
