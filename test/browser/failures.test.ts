import { Transform } from "node:stream";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";
import {
  accountMenu,
  describeConsole,
  openBrowser,
  sharedConsole,
  signOut,
} from "./support/console.ts";

const { service, open } = sharedConsole();
const READS = 20;
const limited = await useReachableService({ RATE_LIMIT_READ: String(READS) });

const MINUTE_MS = 60_000;
/** After which the console asks a service again that could not be reached. */
const RETRY_MS = 5_000;

/** Passes answers on; once it is armed, the next one ends within its body. */
function cutting() {
  let isArmed = false;
  const pipe = () =>
    new Transform({
      transform(bytes: Buffer, _encoding, done) {
        const end = bytes.indexOf("\r\n\r\n");
        if (!isArmed || end < 0) return done(null, bytes);
        isArmed = false;
        this.push(bytes.subarray(0, end + 4));
        this.push(null);
      },
    });
  return {
    pipe,
    arm: () => {
      isArmed = true;
    },
  };
}

describeConsole("a service that fails", () => {
  const cut = cutting();
  let relay: TcpRelay;

  beforeAll(async () => {
    relay = await startTcpRelay(() => Number(new URL(service.url).port), cut.pipe);
    await createCatalogue(await service.loginAs("editor"), { name: "Kept", is_public: true });
  });
  afterAll(() => relay.close());

  test("is told in a sentence where an answer ends in the middle, and is asked until it is back", async () => {
    const { page, allow } = await openBrowser(`http://127.0.0.1:${relay.port}`);
    allow(/ERR_|status of 4/);
    await page.clock.install();
    await page.goto("/");
    await page.getByRole("link", { name: "Kept" }).waitFor();
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByText("As of").waitFor();
    cut.arm();
    await page.getByRole("link", { name: "Catalogues", exact: true }).click();
    await page.getByText("The answer of the service was cut off on its way.").waitFor();
    const bar = page.getByText("The service cannot be reached. What is shown");
    await bar.waitFor();
    await page.clock.runFor(RETRY_MS);
    await bar.waitFor({ state: "detached" });
    await page.clock.runFor(RETRY_MS);
    await page.getByRole("link", { name: "Kept" }).waitFor();

    const letIn = relay.refuse();
    await page.getByRole("link", { name: "Status" }).click();
    await bar.waitFor();
    await page.getByText("does not answer").waitFor();
    await page.clock.runFor(RETRY_MS);
    letIn();
    await expect
      .poll(async () => {
        await page.clock.runFor(RETRY_MS);
        return bar.count();
      })
      .toBe(0);
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText("ready", { exact: true }).waitFor();
  });

  test("turns its status red where it hangs, without a new alarm at each attempt", async () => {
    const { page } = await openBrowser(`http://127.0.0.1:${relay.port}`);
    await page.clock.install();
    await page.goto("/status");
    await page.getByText("ready", { exact: true }).waitFor();
    const goOn = relay.stall();
    await page.clock.runFor(10_000);
    await page.clock.runFor(10_000);
    const alarm = page.getByRole("alert").filter({ hasText: "has not answered for 10 s" });
    await alarm.waitFor();
    await page.getByText("does not answer", { exact: true }).waitFor();
    const first = await alarm.elementHandle();
    await page.clock.runFor(30_000);
    expect(await first?.evaluate((element) => element.isConnected)).toBe(true);
    goOn();
    await page.clock.runFor(20_000);
    await page.getByText("ready", { exact: true }).waitFor();
    expect(await alarm.count()).toBe(0);
  });

  test("that takes no more requests is waited for, second by second, and asked again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      for (let n = 0; n <= READS; n++) await fetch(`${limited.url}/api/catalogues`);
      const { page, allow } = await openBrowser(limited.url);
      allow(/status of 429/);
      await page.clock.install();
      await page.goto("/");
      const again = page.getByRole("button", { name: /^Try again in \d+ s$/ });
      await again.waitFor();
      expect(await again.isDisabled()).toBe(true);
      const seconds = async () => Number(/\d+/.exec((await again.textContent()) ?? "")?.[0]);
      const before = await seconds();
      await page.clock.runFor(10_000);
      expect(await seconds()).toBe(before - 10);
      await page.getByText("It is not known yet whether you are signed in").waitFor();
      expect(await page.getByText(/^request \S+$/).count()).toBeGreaterThan(0);
      vi.setSystemTime(Date.now() + MINUTE_MS);
      await page.clock.runFor(MINUTE_MS);
      await page.getByRole("button", { name: "Try again", exact: true }).click();
      await page.getByText("There are no catalogues yet.").waitFor();
      await page.clock.runFor(RETRY_MS);
      await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
      await page.getByText("It is not known yet").waitFor({ state: "detached" });
    } finally {
      vi.useRealTimers();
    }
  });

  test("keeps somebody signed in, and where they are, when signing out fails", async () => {
    const { page } = await open("viewer", "/profile", { allow: /status of 500/ });
    await page.route("**/api/auth/logout", (route) =>
      route.fulfill({ status: 500, json: { error: "It did not work", code: "INTERNAL_ERROR" } }),
    );
    await signOut(page);
    await page.getByText("It did not work.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/profile");
    await accountMenu(page).waitFor();
  });
});

describeConsole("a console that fails", () => {
  test("says that a page does not work, and goes on with the others", async () => {
    const { page } = await open("viewer", null, { allow: /catalogues|undefined|null/ });
    await page.route("**/api/catalogues?**", (route) => route.fulfill({ json: { total: 1 } }));
    await page.goto("/catalogues?search=a");
    await page.getByRole("heading", { name: "This page does not work" }).waitFor();
    await page.getByRole("button", { name: "Reload the page" }).waitFor();
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByText("As of").waitFor();
  });

  test("offers the new version where the file of a page is gone", async () => {
    const { page } = await open("guest", "/login", { allow: /status of 404/ });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByText("There may be a new version of the console").waitFor();
    await page.unroute("**/assets/*.js");
    await page.getByRole("button", { name: "Reload the page" }).click();
    await page.getByText("As of").waitFor();
  });

  test("is shown where the browser keeps nothing for pages", async () => {
    const { page } = await open("guest");
    await page.addInitScript(`Object.defineProperty(window, "localStorage", {
      get() { throw new DOMException("blocked", "SecurityError"); },
    });`);
    await page.goto("/");
    await page.getByRole("link", { name: "Kept" }).waitFor();
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("radio", { name: "Dark" }).check();
    await page.locator('html[data-theme="dark"]').waitFor();
  });
});
