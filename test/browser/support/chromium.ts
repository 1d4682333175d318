import { existsSync } from "node:fs";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** Debian's Chromium without a window around its pages: each page costs a third less time. */
const SHELL = "/usr/bin/chromium-headless-shell";

/** The browser of this machine, as people have it. */
export const CHROMIUM = [...BROWSERS, SHELL].find((path) => existsSync(path));
/** What tests use, which open hundreds of pages; `.ci/run` installs it. */
export const CHROMIUM_OF_TESTS = [SHELL, ...BROWSERS].find((path) => existsSync(path));
export const hasChromium = CHROMIUM !== undefined;
