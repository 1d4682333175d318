import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseComposeFile } from "../../support/compose-file.ts";
import { composeProblems } from "./compose-problems.ts";

const ROOT = new URL("../../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), "utf8");

/** What stands in the file, what may not stand there instead, and what is said of it. */
const FAULTS: readonly [what: string, from: string | RegExp, to: string, problem: string][] = [
  ["an unknown variable", "NATS_URL: nats", "NATS_ADDRESS: nats", "unknown variable: NATS_ADDRESS"],
  [
    "a role without settings",
    "  env_file:",
    "  ignored:",
    "gateway does not get the settings of .env",
  ],
  [
    "a setting that is not handed on",
    "DATA_DIR: /data\n",
    "DATA_DIR: /data\n  REGISTRATION: open\n",
    "gateway gets another REGISTRATION than .env says",
  ],
  [
    "a secret that every role gets",
    '  ADMIN_PASSWORD: ""\n',
    "",
    "projector may get ADMIN_PASSWORD",
  ],
  ["a value that is refused", "redpanda:9092\n", "redpanda\n", "KAFKA_BROKERS must be"],
  ["a capability", "cap_drop: [ALL]", "cap_drop: [NET_RAW]", "gateway keeps capabilities"],
  ["one that is added", "user: postgres", "cap_add: [CHOWN]", "postgres keeps capabilities"],
  ["privileges to be gained", '"no-new-privileges:true"', "", "nats can gain privileges"],
  ["an image to write to", "read_only: true", "read_only: false", "can write to its image"],
  ["no limit of memory", "mem_limit: 512m", "", "nats has no limit of memory"],
  ["no limit of processes", "pids_limit: 100", "", "nats has no limit of processes"],
  ["a temporary file system without limit", "/tmp:size=64m", "/tmp", "eventstore has no limit"],
  ["an open network of the stores", "internal: true", "internal: false", "is not internal"],
  [
    "an image without digest",
    /(bookworm)@sha256:\w+/,
    "$1",
    "postgres has an image without digest",
  ],
  [
    "a secret where it has no use",
    "ROLES: projector",
    `ROLES: projector
      JWT_SECRET: \${JWT_SECRET:?x}`,
    "JWT_SECRET is given to gateway, projector",
  ],
  [
    "a store that reaches outside",
    "pids_limit: 100\n    networks: [stores]",
    "pids_limit: 100\n    networks: [stores, outside]",
    "nats is on stores and outside",
  ],
  ["a wrong role", "ROLES: projector", "ROLES: projectors", "ROLES must be"],
  ["a role that nobody runs", "ROLES: notifier", "ROLES: publisher", "nobody runs notifier"],
  ["an image without a version", /postgres:18.1-bookworm@\w+:\w+/, "postgres:latest", "not pinned"],
  ["a secret with a default", "JWT_SECRET:?at least 32 characters", "JWT_SECRET:-x", "JWT_SECRET"],
  [
    "a missing health check",
    'healthcheck:\n      test: ["CMD", "wget"',
    'ignored:\n      test: ["CMD", "wget"',
    "nats has no health check",
  ],
  [
    "a need that is only started",
    "nats: { condition: service_healthy }",
    "nats: { condition: service_started }",
    "until nats is healthy",
  ],
  ["a volume that is not there", "- nats:/data", "- gnats:/data", "not declared: gnats"],
];

describe("docker-compose.yml", () => {
  test("docker-compose.yml gives every role a configuration that the service takes, and every service a health check", async () => {
    expect(composeProblems(await read("docker-compose.yml"))).toEqual([]);
  });

  test("docker-compose.yml has a database, an event store, two brokers and the four roles", async () => {
    const { services } = parseComposeFile(await read("docker-compose.yml"));
    expect(Object.keys(services).toSorted()).toEqual([
      "eventstore",
      "gateway",
      "nats",
      "notifier",
      "postgres",
      "projector",
      "publisher",
      "redpanda",
    ]);
    expect(services["postgres"]?.image).toMatch(/^postgres:18\./);
    expect(services["eventstore"]?.image).toMatch(/:23\.10\./);
    for (const [name, { ports }] of Object.entries(services)) {
      expect(ports).toHaveLength(name === "gateway" ? 1 : 0);
    }
  });

  test("docker-compose.yml with a fault is found out", async () => {
    const text = await read("docker-compose.yml");
    for (const [what, from, to, problem] of FAULTS) {
      expect(text, what).toMatch(from);
      expect(composeProblems(text.replace(from, to)).join("\n"), what).toContain(problem);
    }
  });
});

const Package = z.object({
  engines: z.object({ node: z.string() }),
  devDependencies: z.object({ node: z.string() }),
});

describe("the image", () => {
  test("the image runs on the Node that the project is developed on, as .nvmrc and engines say", async () => {
    const { engines, devDependencies } = Package.parse(JSON.parse(await read("package.json")));
    const dockerfile = await read("infra/docker/Dockerfile");
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    const [base = "", ...others] = bases;
    expect(others).toEqual([base]);
    expect(base.split("@")[0]).toBe(`node:${devDependencies.node}-bookworm-slim`);
    expect(base).toMatch(/@sha256:[0-9a-f]{64}$/);
    const major = (await read(".nvmrc")).trim();
    expect(devDependencies.node.split(".")[0]).toBe(major);
    expect(engines.node).toBe(`>=${major}`);
  });

  test("the image copies only what is there and let in, and does not run as root", async () => {
    const dockerfile = await read("infra/docker/Dockerfile");
    const letIn = (await read(".dockerignore")).split("\n").filter((line) => line.startsWith("!"));
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, from = ""]) =>
      from.split(" "),
    );
    expect(copied.map((path) => `!${path}`).toSorted()).toEqual(
      [...letIn, "!package.json"].toSorted(),
    );
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });
});
