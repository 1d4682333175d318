import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** Debian's Chromium without a window around its pages: each page costs a third less time. */
const SHELL = "/usr/bin/chromium-headless-shell";

/** The browser of this machine, as people have it. */
const CHROMIUM = [...BROWSERS, SHELL].find((path) => existsSync(path));
/** What tests use, which open hundreds of pages; `.ci/run` installs it. */
const CHROMIUM_OF_TESTS = [SHELL, ...BROWSERS].find((path) => existsSync(path));
export const hasChromium = CHROMIUM !== undefined;

/** The browser asks nobody but the service. */
const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  // Suggestions of the address bar are pages of their own, in each window.
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

export type WindowOptions = {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
};

/** A real browser without a window, on a profile that goes with it. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM_OF_TESTS ?? "", args: FLAGS });
}

/** How a window on the service looks to it. */
export function windowOn(
  baseURL: string,
  { theme = "light", width = 1280, height = 800 }: WindowOptions = {},
) {
  return {
    baseURL,
    colorScheme: theme,
    viewport: { width, height },
    locale: "en-GB",
    timezoneId: "Pacific/Auckland",
  };
}

/** A window of a browser of its own; `profile` is a folder that nothing else uses. */
export function launchChromium(
  profile: string,
  baseURL: string,
  options: WindowOptions = {},
): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM ?? "",
    args: FLAGS,
    ...windowOn(baseURL, options),
  });
}
