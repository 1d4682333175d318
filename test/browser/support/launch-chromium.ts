import { type BrowserContext, chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.ts";

/** The browser asks nobody but the service. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export type WindowOptions = {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
};

/** A window of a real browser; `profile` is a folder that nothing else uses. */
export function launchChromium(
  profile: string,
  baseURL: string,
  { theme = "light", width = 1280, height = 800 }: WindowOptions = {},
): Promise<BrowserContext> {
  return chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM ?? "",
    args: FLAGS,
    baseURL,
    colorScheme: theme,
    viewport: { width, height },
    locale: "en-GB",
    timezoneId: "Pacific/Auckland",
  });
}
