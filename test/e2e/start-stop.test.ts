import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApiClient, signIn } from "../support/api-client.ts";
import { createTestDatabase } from "../support/database.ts";
import { catalogueBody } from "../support/generate-catalogue.ts";
import { preparedDataDir } from "../support/prepared-data-dir.ts";
import {
  type NotStarted,
  type ServiceProcess,
  startServiceProcess,
} from "../support/service-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const ADMIN = { email: "start@example.org", password: "only for these tests" };
const BOOTSTRAP = {
  CREATE_ADMIN_USER: "true",
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
};

async function start(variables: Record<string, string>): Promise<ServiceProcess> {
  const service = await startServiceProcess({ ...BOOTSTRAP, ...variables });
  onTestFinished(async () => {
    await service.stop();
  });
  return service;
}

async function databasePid(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8");
  return Number(text.split("\n")[0]);
}

describe("a first start", () => {
  test("a first start says where the service and its documentation are, and lets the administrator in", async () => {
    const service = await start({ DATA_DIR: await temporaryDirectory() });
    expect(service.output()).toContain(`Earthquake Catalogue Service on ${service.url}`);
    // Lines come one by one: the process is taken for ready at the one before.
    await expect.poll(service.output).toContain(`API documentation on ${service.url}/api/docs`);
    const admin = await signIn(service.url, ADMIN);
    expect((await admin.get("/api/users")).status).toBe(200);
    const page = await fetch(`${service.url}/api/docs`);
    expect(page.headers.get("content-type")).toContain("text/html");
  });

  test("a first start keeps its secrets out of the log", async () => {
    const dataDir = await temporaryDirectory();
    const service = await start({ DATA_DIR: dataDir, LOG_LEVEL: "trace" });
    await signIn(service.url, ADMIN);
    expect(service.output()).not.toContain(ADMIN.password);
    for (const file of ["postgres-password", "jwt-secret"]) {
      const secret = (await readFile(join(dataDir, file), "utf8")).trim();
      expect(service.output()).not.toContain(secret);
    }
  });
});

describe("a start without an administrator", () => {
  const setupLinks = (service: ServiceProcess) =>
    service.output().match(/http\S+\/setup\?code=[\w-]+/g);

  test("a start without an administrator prints a link that sets it up, until there is one", async () => {
    const variables = { DATA_DIR: await preparedDataDir(), CREATE_ADMIN_USER: "false" };
    const first = await start({ ...variables, LOG_LEVEL: "trace" });
    await expect.poll(() => setupLinks(first)).toHaveLength(1);
    const [link = ""] = setupLinks(first) ?? [];
    const earlier = new URL(link);
    await first.stop();
    const second = await start(variables);
    await expect.poll(() => setupLinks(second)).toHaveLength(1);
    const present = new URL((setupLinks(second) ?? [""])[0] ?? "");
    expect(present.origin).toBe(new URL(second.url).origin);
    const guest = createApiClient(second.url);
    const make = (code: string | null) =>
      guest.send("POST", "/api/setup/administrator", { ...ADMIN, name: "First", code });
    expect((await make(earlier.searchParams.get("code"))).status).toBe(403);
    expect((await make(present.searchParams.get("code"))).status).toBe(201);
    expect((await make(present.searchParams.get("code"))).status).toBe(404);
    await second.stop();
    const third = await start(variables);
    await expect.poll(third.output).toContain("API documentation on");
    await third.stop();
    expect(setupLinks(third)).toBeNull();
  });

  test("a start without an administrator prints no link where one is configured, or the database is another's", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const variants = [
      { DATA_DIR: await preparedDataDir() },
      {
        CREATE_ADMIN_USER: "false",
        DATABASE_URL: database.url,
        PUBLIC_BASE_URL: "http://quakes.example.org",
        JWT_SECRET: "a secret of these tests alone, 32 long",
      },
    ];
    for (const variables of variants) {
      const service = await start(variables);
      await expect.poll(service.output).toContain("API documentation on");
      for (const path of ["sample", "administrator"]) {
        const guest = createApiClient(service.url);
        const answer = await guest.send("POST", `/api/setup/${path}`, { ...ADMIN, code: "" });
        expect(answer.status).toBe(404);
      }
      await service.stop();
      expect(setupLinks(service)).toBeNull();
    }
  });
});

describe("a stop", () => {
  test("a stop finishes the requests that run", async () => {
    const dataDir = await preparedDataDir();
    const service = await start({ DATA_DIR: dataDir, RATE_LIMIT_READ: "0" });
    const client = await signIn(service.url, ADMIN);
    const creating = client.send<{ id: string }>(
      "POST",
      "/api/catalogues",
      catalogueBody("last", 5, 20_000),
    );
    const guest = createApiClient(service.url);
    let listed = 0;
    while (listed === 0) {
      ({ total: listed } = (await guest.get<{ total: number }>("/api/catalogues")).body);
    }
    expect(await service.stop()).toBe(0);
    expect((await creating).status).toBe(201);

    const again = await start({ DATA_DIR: dataDir });
    const { body } = await createApiClient(again.url).get<{ catalogues: object[] }>(
      "/api/catalogues",
    );
    expect(body.catalogues).toEqual([
      expect.objectContaining({ name: "last", status: "active", event_count: 20_000 }),
    ]);
  });
});

describe("a wrong configuration", () => {
  test("a wrong configuration of a port that is taken is refused by its name, and the process ends", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const dataDir = await preparedDataDir();
    const failure = await start({ DATA_DIR: dataDir, PORT: String(port) }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ name: "NotStarted", exitCode: 1 });
    expect((failure as NotStarted).output).toContain("PORT cannot be used");
    await expect(databasePid(dataDir)).rejects.toThrow("ENOENT");
  });

  test.each([
    ["ADMIN_PASSWORD", { ADMIN_PASSWORD: "short-pass1" }],
    ["HOST", { HOST: "no.such.host.invalid" }],
    ["DATA_DIR", { DATA_DIR: "/proc/none" }],
    [
      "DATABASE_URL",
      {
        DATABASE_URL: "postgresql://127.0.0.1:1/none",
        PUBLIC_BASE_URL: "http://a.example",
        JWT_SECRET: "a secret of the tests alone, 32 long",
      },
    ],
    ["EVENTSTORE_URL", { EVENTSTORE_URL: "esdb://127.0.0.1:1?tls=false" }],
  ] as const)("a wrong configuration of %s is refused by its name", async (name, variables) => {
    const dataDir = await preparedDataDir();
    const failure = await start({ DATA_DIR: dataDir, ...variables }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ name: "NotStarted", exitCode: 1 });
    const { output } = failure as NotStarted;
    expect(output).toContain(name);
    expect(output).not.toContain("short-pass1");
  });
});
