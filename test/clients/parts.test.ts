import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { openSession } from "#infra/postgres/connection.ts";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import { versionsForParts } from "#projections/read/exports.ts";
import { publishParts } from "#services/parts/publish.ts";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasPython, pythonProgram, runPython } from "../support/clients/python.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { manifestOf } from "../support/parts.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { createTemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const hasRclone = spawnSync("rclone", ["version"]).status === 0;
const EVENTS = 500;

const directory = await createTemporaryDirectory();
const service = await useReachableService({ PARTS_DIR: directory.path });
let editor: ApiClient;
let id = "";
let address = "";

beforeAll(async () => {
  editor = await service.loginAs("editor");
  ({ id } = await createCatalogue(editor, { events: [...generateEvents(7, EVENTS)] }));
  // The service publishes them too, and then serves what is there.
  await editor.send("PATCH", `/api/catalogues/${id}`, { parts: true });
  await publish();
  const path = `/api/catalogues/${id}/events`;
  const { body } = await editor.get<{ events: SeismicEvent[] }>(`${path}?pageSize=10`);
  for (const { id: event } of body.events.slice(0, 5)) {
    await editor.send("PATCH", `${path}/${event}`, { magnitude: 9 });
  }
  for (const { id: event } of body.events.slice(3, 8))
    await editor.send("DELETE", `${path}/${event}`);
  await publish();
  await editor.send("POST", path, { events: [seismicEvent()] });
  await editor.send("POST", `/api/catalogues/${id}/versions/4/restore`);
  await publish();
  type Made = { share: { url: string } };
  const made = await editor.send<Made>("POST", `/api/catalogues/${id}/shares`, {});
  address = `${made.body.share.url}/parts/`;
  return directory.remove;
});

/** What the service publishes within a minute. */
async function publish(): Promise<void> {
  await using session = await openSession(service.databaseUrl, "parts of tests");
  const [latest] = await versionsForParts(statementsOn(session.client), id);
  if (latest !== undefined) await publishParts(session.client, join(directory.path, id), latest);
}

/** Number of events and mean magnitude, as the service has them. */
async function figuresOf(version: number): Promise<readonly [number, number]> {
  const path = `/api/catalogues/${id}/export?format=json&asOf=${version}`;
  const { events } = (await editor.get<{ events: SeismicEvent[] }>(path)).body;
  const sum = events.reduce((all, { magnitude }) => all + (magnitude ?? 0), 0);
  return [events.length, sum / events.filter(({ magnitude }) => magnitude !== null).length];
}

test.skipIf(!hasPython)(
  "DuckDB, polars, pandas and DuckLake read every version as parts.md says",
  async () => {
    const text = await readFile(new URL("../../contracts/docs/parts.md", import.meta.url), "utf8");
    const block = (language: string) =>
      new RegExp(`\`\`\`${language}\n([^\`]*)\`\`\``).exec(text)?.[1] ?? "";
    const lines = [...text.matchAll(/`((?:pandas\.read|CREATE TABLE|CALL )[^`]*)`/g)].map(
      ([, line = ""]) => line,
    );
    const [pandas, ...ducklake] = lines;
    const { version, base } = await manifestOf(join(directory.path, id));
    const versions = Array.from({ length: version }, (_, i) => i + 1);
    const input = {
      ...{ address, versions, sql: block("sql"), python: block("python"), pandas, ducklake },
      folder: join(directory.path, id),
      work: await temporaryDirectory(),
    };
    expect([version, base.version, lines.length]).toEqual([13, 1, 3]);
    type Figures = readonly [number, number];
    type Read = Record<"duckdb" | "polars", Figures[]> & Record<"ducklake" | "pandas", Figures>;
    const read = await runPython<Read>("parts_engines.py", { input });
    for (const [i, one] of versions.entries()) {
      const [count, mean] = await figuresOf(one);
      for (const engine of ["duckdb", "polars"] as const) {
        expect([one, engine, read[engine][i]?.[0]]).toEqual([one, engine, count]);
        expect(read[engine][i]?.[1]).toBeCloseTo(mean, 10);
      }
    }
    const [count, mean] = await figuresOf(1);
    for (const engine of ["ducklake", "pandas"] as const) {
      expect(read[engine]).toEqual([count, expect.closeTo(mean, 10)]);
    }
  },
);

const PARTS_OF_BUCKET = ["s3", "master", "volume", "filer"];

/** An S3 server on the loopback, and the settings by which rclone reaches it. */
async function startBucket() {
  const free = new Set<number>();
  while (free.size < 2 * PARTS_OF_BUCKET.length) free.add(await freePort());
  const [s3, ...others] = free;
  const ports = PARTS_OF_BUCKET.flatMap((part, i) => [
    `-${part}.port=${i === 0 ? s3 : others[2 * i]}`,
    `-${part}.port.grpc=${others[2 * i - 1] ?? others[0]}`,
  ]);
  const work = await temporaryDirectory();
  const server: ChildProcess = spawn(
    pythonProgram("weed"),
    ["server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", `-dir=${work}`, "-s3", ...ports],
    { stdio: "ignore", cwd: work, env: { PATH: process.env["PATH"], HOME: work } },
  );
  onTestFinished(async () => {
    if (server.exitCode !== null) return;
    const exited = once(server, "exit");
    server.kill("SIGKILL");
    await exited;
  });
  const env = {
    PATH: process.env["PATH"],
    HOME: work,
    RCLONE_CONFIG: "/dev/null",
    RCLONE_CONFIG_BUCKET_TYPE: "s3",
    RCLONE_CONFIG_BUCKET_PROVIDER: "Other",
    RCLONE_CONFIG_BUCKET_ENDPOINT: `http://127.0.0.1:${s3}`,
    RCLONE_CONFIG_BUCKET_ENV_AUTH: "false",
  };
  const rclone = async (...args: string[]) => (await run("rclone", args, { env })).stdout;
  await vi.waitFor(() => rclone("mkdir", "bucket:earthquakes", "--retries", "1"), {
    timeout: 60_000,
    interval: 500,
  });
  return rclone;
}

test.skipIf(!hasPython || !hasRclone)(
  "rclone feeds a bucket, the manifest last, and again with what changed",
  async () => {
    const rclone = await startBucket();
    const text = await readFile(new URL("../../contracts/docs/parts.md", import.meta.url), "utf8");
    const shown = /`(rclone copy [^`]*)`/.exec(text)?.[1] ?? "";
    const folder = join(directory.path, id);
    const feed = async () => {
      for (const line of shown.split(" && ")) {
        const [, ...args] = line
          .replaceAll("DIR/ID", folder)
          .replaceAll("/ID", `/${id}`)
          .split(" ");
        await rclone(...args);
      }
    };
    await feed();
    const listed = await rclone("lsf", "-R", "--files-only", `bucket:earthquakes/${id}`);
    const manifest = await manifestOf(folder);
    const named = [...manifest.base.files, ...manifest.changes, manifest.overview].map(
      ({ path }) => path,
    );
    expect(listed.trim().split("\n").toSorted()).toEqual(["manifest.json", ...named].toSorted());
    await editor.send("PATCH", `/api/catalogues/${id}`, { name: "another name" });
    await publish();
    await feed();
    await rclone("check", "--download", folder, `bucket:earthquakes/${id}`);
    const again = JSON.parse(await rclone("cat", `bucket:earthquakes/${id}/manifest.json`));
    expect(again).toMatchObject({ name: "another name", base: manifest.base });
  },
);
