import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { preparedDataDir } from "../support/prepared-data-dir.ts";
import { spawnService } from "../support/service-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const LIMIT_MS = 9_000;

/** A guest of the service at a port, once it is ready. */
async function readyAt(port: number): Promise<ApiClient> {
  const guest = createApiClient(`http://127.0.0.1:${port}`);
  const status = () =>
    guest.get("/api/ready").then(
      (answer) => answer.status,
      () => 0,
    );
  await expect.poll(status, { timeout: 60_000 }).toBe(200);
  return guest;
}

/** A service whose lines go to `output`, and which is reached without reading them. */
async function start(output: number | "pipe"): Promise<{ child: ChildProcess; guest: ApiClient }> {
  const port = await freePort();
  const variables = {
    DATA_DIR: await preparedDataDir(),
    PORT: `${port}`,
    RATE_LIMIT_READ: "0",
  };
  const child = spawnService(variables, { stdio: ["ignore", output, "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const guest = await readyAt(port);
  return { child, guest };
}

async function dropped(guest: ApiClient): Promise<number> {
  const { body } = await guest.get<string>("/metrics");
  return Number(/^log_lines_dropped_total (\d+)$/m.exec(body)?.[1]);
}

/** Makes lines until some are dropped. */
async function overflow(guest: ApiClient): Promise<void> {
  while ((await dropped(guest)) === 0) {
    await Promise.all(Array.from({ length: 100 }, () => guest.get("/api/health?line")));
  }
}

async function expectStop(child: ChildProcess): Promise<void> {
  const begunMs = performance.now();
  child.kill("SIGTERM");
  const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
  expect(code).toBe(0);
  expect(performance.now() - begunMs).toBeLessThan(LIMIT_MS);
}

test("a volume that is full costs lines of the log, which are counted, and nothing else", async () => {
  const { child, guest } = await start(openSync("/dev/full", "w"));
  expect((await guest.get("/api/catalogues")).status).toBe(200);
  expect(await dropped(guest)).toBeGreaterThan(0);
  await expectStop(child);
});

test("a reader that reads nothing costs lines of the log, and is told how many when it reads again", async () => {
  const { child, guest } = await start("pipe");
  await overflow(guest);
  expect((await guest.get("/api/catalogues")).status).toBe(200);
  const lost = await dropped(guest);
  child.stdout?.setEncoding("utf8");
  let read = "";
  child.stdout?.on("data", (text: string) => {
    read += text;
  });
  await expect.poll(() => read, { timeout: 20_000 }).toContain("log lines were dropped");
  const lines = read
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const told = lines.filter(({ msg }) => msg === "log lines were dropped");
  expect(told).toHaveLength(1);
  expect(told[0].dropped).toBeGreaterThanOrEqual(lost);
  await expectStop(child);
});

test("a reader that has gone costs lines of the log and nothing else", async () => {
  const { child, guest } = await start("pipe");
  child.stdout?.destroy();
  await guest.get("/api/health");
  expect((await guest.get("/api/catalogues")).status).toBe(200);
  expect(await dropped(guest)).toBeGreaterThan(0);
  await expectStop(child);
});

test("a terminal that its user has stopped costs no more than lines of the log", async () => {
  const port = await freePort();
  const dataDir = await preparedDataDir();
  // Nobody reads what `script` copies from the terminal.
  const command = `exec "${process.execPath}" services/main.ts`;
  const terminal = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { PATH: process.env["PATH"], DATA_DIR: dataDir, PORT: `${port}`, RATE_LIMIT_READ: "0" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void terminal.kill("SIGKILL"));
  const guest = await readyAt(port);
  await overflow(guest);
  expect((await guest.get("/api/catalogues")).status).toBe(200);
  terminal.stdin.write("\u0003");
  terminal.stdout.resume();
  expect(await once(terminal, "close")).toEqual([0, null]);
});

test("lines are whole again after a full volume, and the first tells how many were lost", async () => {
  const path = join(await temporaryDirectory(), "service.log");
  const { child, guest } = await start(openSync(path, "w"));
  const limitFile = (bytes: string) => run("prlimit", [`--pid=${child.pid}`, `--fsize=${bytes}:`]);
  // The line of an answer is written a moment after it.
  await guest.get("/api/health");
  await expect.poll(() => readFile(path, "utf8")).toContain('"route":"/api/health"');
  const { length } = await readFile(path);
  // The next line fits in part.
  await limitFile(`${length + 10}`);
  await guest.get("/api/health?lost");
  await guest.get("/api/health?lost");
  await limitFile("unlimited");
  await guest.get("/api/health?kept");
  await expect.poll(() => readFile(path, "utf8")).toContain("log lines were dropped");
  const lines = (await readFile(path, "utf8")).slice(length).trimEnd().split("\n");
  expect(lines[0]).toHaveLength(10);
  const [kept, told] = lines.slice(1).map((line) => JSON.parse(line));
  expect(kept).toMatchObject({ msg: "request answered" });
  expect(told).toMatchObject({ msg: "log lines were dropped", dropped: 2, level: "warn" });
  await expectStop(child);
});
