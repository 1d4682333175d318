import { existsSync } from "node:fs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine; `.ci/run` installs Debian's. */
export const CHROMIUM = PLACES.find((path) => existsSync(path));
export const hasChromium = CHROMIUM !== undefined;
