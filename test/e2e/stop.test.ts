import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, watch } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { signIn } from "../support/api-client.ts";
import { catalogueBody } from "../support/generate-catalogue.ts";
import { preparedDataDir } from "../support/prepared-data-dir.ts";
import { processesOf } from "../support/process-figures.ts";
import {
  type ServiceProcess,
  serviceEnvironment,
  spawnService,
  startServiceProcess,
} from "../support/service-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ADMIN = { email: "stop@example.org", password: "only for these tests" };
const BOOTSTRAP = {
  CREATE_ADMIN_USER: "true",
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
};
/** What `docker stop` leaves is a second more. */
const LIMIT_MS = 9_000;
/** Signals further apart are two. */
const APART_MS = 1_100;

async function start(dataDir: string): Promise<ServiceProcess> {
  const service = await startServiceProcess({ ...BOOTSTRAP, DATA_DIR: dataDir });
  onTestFinished(service.kill);
  return service;
}

/** A connection that has sent this and goes on no further. */
async function send(url: string, ...lines: readonly string[]): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The service cuts it, perhaps in the middle.
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(lines.join("\r\n"));
  return socket;
}

/** Clients that hold on to a service: one takes a download slowly, others do not end what they send. */
async function slowClients({ url }: ServiceProcess): Promise<void> {
  const admin = await signIn(url, ADMIN);
  const created = await admin.send<{ id: string }>(
    "POST",
    "/api/catalogues",
    catalogueBody("large", 3, 60_000),
  );
  const { token } = (await admin.send<{ token: string }>("POST", "/api/auth/login", ADMIN)).body;
  const head = ["HTTP/1.1", "Host: localhost", `Authorization: Bearer ${token}`];
  const path = `/api/catalogues/${created.body.id}/export?format=quakeml`;
  const download = await send(url, `GET ${path} ${head.join("\r\n")}`, "", "");
  await once(download, "readable");
  await send(
    url,
    `POST /api/catalogues ${head.join("\r\n")}`,
    "Content-Type: application/json",
    "Content-Length: 1000",
    "",
    '{"name":',
  );
  await send(url, "GET /api/catalogues HTTP/1.1", "Host: loc");
}

async function expectStopped(dataDir: string): Promise<void> {
  expect(await processesOf(dataDir)).toEqual([]);
  // PostgreSQL removes its own file last.
  await expect(access(join(dataDir, "postgres/postmaster.pid"))).rejects.toThrow("ENOENT");
}

describe("a stop", () => {
  test("a stop takes at most 9 s whatever clients hold on to, exits with 0 and takes PostgreSQL along", async () => {
    const dataDir = await preparedDataDir();
    const service = await start(dataDir);
    await slowClients(service);
    const begunMs = performance.now();
    expect(await service.stop("SIGTERM")).toBe(0);
    expect(performance.now() - begunMs).toBeLessThan(LIMIT_MS);
    await expectStopped(dataDir);
  });

  test("a stop takes at most 9 s whatever analyses were left by those who asked, and exits with 0", async () => {
    const dataDir = await preparedDataDir();
    const service = await start(dataDir);
    const admin = await signIn(service.url, ADMIN);
    const large = catalogueBody("large", 3, 60_000);
    const { id } = (await admin.send<{ id: string }>("POST", "/api/catalogues", large)).body;
    await admin.send("PATCH", `/api/catalogues/${id}`, { is_public: true });
    for (let b = 1; b <= 6; b += 1) {
      const path = `/api/catalogues/${id}/analytics/nearest-neighbour?b=1.${b}`;
      const asking = await send(service.url, `GET ${path} HTTP/1.1`, "Host: localhost", "", "");
      if (b % 2 === 0) asking.destroy();
    }
    const begunMs = performance.now();
    expect(await service.stop("SIGTERM")).toBe(0);
    expect(performance.now() - begunMs).toBeLessThan(LIMIT_MS);
    await expectStopped(dataDir);
  });

  test("a stop by a signal more than a second after the first is at once, and takes PostgreSQL along", async () => {
    const dataDir = await preparedDataDir();
    const service = await start(dataDir);
    await slowClients(service);
    process.kill(service.pid, "SIGINT");
    await delay(APART_MS);
    expect(await service.stop("SIGINT")).toBe(1);
    expect(service.output()).toContain("another signal, exiting at once");
    expect(await processesOf(dataDir)).toEqual([]);
  });

  test("a stop of a service that is only starting leaves no PostgreSQL behind", async () => {
    const dataDir = await temporaryDirectory();
    const changes = watch(dataDir);
    const service = spawnService({ DATA_DIR: dataDir });
    onTestFinished(() => void service.kill("SIGKILL"));
    const ended = once(service, "close");
    for await (const { filename } of changes) if (filename === "postgres") break;
    service.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await expectStopped(dataDir);
  });

  test("a stop by SIGHUP is as by SIGTERM", async () => {
    const dataDir = await preparedDataDir();
    const service = await start(dataDir);
    expect(await service.stop("SIGHUP")).toBe(0);
    await expectStopped(dataDir);
  });
});

describe("Ctrl-C in a terminal", () => {
  /** `npm start` in a pseudo-terminal, once it is up; `type` is what its user types. */
  async function startInTerminal(dataDir: string) {
    const terminal = spawn(
      "script",
      ["--quiet", "--return", "--command", "exec npm start", "/dev/null"],
      {
        cwd: ROOT,
        env: serviceEnvironment({ ...BOOTSTRAP, DATA_DIR: dataDir, TERM: "dumb" }),
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    onTestFinished(() => void terminal.kill("SIGKILL"));
    const ended = once(terminal, "close");
    const output = await untilUp(terminal);
    return { ended, output, type: (keys: string) => terminal.stdin?.write(keys) };
  }

  async function untilUp(terminal: ChildProcess): Promise<() => string> {
    let output = "";
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    terminal.stdout?.on("data", (piece: Buffer) => {
      output += piece.toString();
      if (output.includes("API documentation on")) resolve();
    });
    terminal.once("close", () => reject(new Error(output)));
    await promise;
    return () => output;
  }

  test("Ctrl-C in a terminal stops what npm start has begun in order, PostgreSQL included", async () => {
    const dataDir = await preparedDataDir();
    const { ended, output, type } = await startInTerminal(dataDir);
    type("\u0003");
    expect(await ended).toEqual([0, null]);
    expect(output()).toContain("stopping");
    expect(output()).not.toContain("another signal");
    await expectStopped(dataDir);
  });
});
