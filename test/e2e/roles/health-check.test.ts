import { execFile } from "node:child_process";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { POLL, useRoles } from "./use-roles.ts";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("../../../infra/docker/health-check.sh", import.meta.url));
const MINUTE_MS = 60_000;
const scene = useRoles();

/** Whether the container's check passes in a process's environment. */
async function isHealthy(variables: Readonly<Record<string, string>>): Promise<boolean> {
  const env = { PATH: process.env["PATH"], ...variables };
  return run("sh", [SCRIPT], { env }).then(
    () => true,
    () => false,
  );
}

test("a gateway is healthy while it answers", async () => {
  const gateway = await scene.start("gateway");
  const check = { ROLES: "gateway", PORT: new URL(gateway.url).port };
  expect(await isHealthy(check)).toBe(true);
  await gateway.kill();
  expect(await isHealthy(check)).toBe(false);
});

test("every role serves its metrics where it is told to", async () => {
  for (const role of ["gateway", "projector", "notifier", "publisher"] as const) {
    const started = await scene.start(role, { METRICS_PORT: "0" });
    const [, url = ""] =
      /Metrics on (http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(started.output()) ?? [];
    expect(await (await fetch(url)).text()).toContain("process_cpu_seconds_total");
    await started.kill();
  }
});

test("a process without a listener is healthy while its heart beats", async () => {
  const projector = await scene.start("projector");
  const check = { ROLES: "projector", DATA_DIR: scene.dataDir };
  await expect.poll(() => isHealthy(check), POLL).toBe(true);
  const past = new Date(Date.now() - MINUTE_MS);
  await utimes(join(scene.dataDir, "alive"), past, past);
  await expect.poll(() => isHealthy(check), POLL).toBe(true);
  await projector.kill();
  await utimes(join(scene.dataDir, "alive"), past, past);
  expect(await isHealthy(check)).toBe(false);
});
