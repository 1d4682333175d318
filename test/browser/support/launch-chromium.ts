import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { CHROMIUM, CHROMIUM_OF_TESTS } from "./chromium.ts";

/** The browser asks nobody but the service. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
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
