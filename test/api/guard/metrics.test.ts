import { describe, expect, test, vi } from "vitest";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { whileRevisionIsOpen } from "../../support/api/open-revision.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { testLogKind } from "../../support/service-log.ts";

const ELSEWHERE = { "x-forwarded-for": "198.51.100.7" };

const whole = useService();

describe("GET /metrics", () => {
  const service = whole;
  const guest = () => createApiClient(service.url);

  async function scrape(): Promise<string> {
    const { status, headers, body } = await guest().get<string>("/metrics");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return body;
  }

  /** The value of a sample, such as `name{label="x"}`; undefined when it is not there. */
  function sampleIn(text: string, sample: string): number | undefined {
    const line = text.split("\n").find((candidate) => candidate.startsWith(`${sample} `));
    return line === undefined ? undefined : Number(line.slice(sample.length));
  }

  test("GET /metrics tells how many requests were answered, how fast, by method, route and class", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor);
    await guest().get(`/api/catalogues/${id}`);
    await guest().get("/api/catalogues/none");
    await guest().get("/one-unknown-path");
    await guest().get("/another-unknown-path?x=1");
    const name = "http_request_duration_seconds_count";
    await vi.waitFor(async () => {
      const text = await scrape();
      const route = "/api/catalogues/:id";
      const sample = (labels: string) => sampleIn(text, `${name}{${labels}}`);
      expect(sample(`method="GET",route="${route}",status_class="2xx"`)).toBe(1);
      expect(sample(`method="GET",route="${route}",status_class="4xx"`)).toBe(1);
      expect(sample('method="POST",route="/api/catalogues",status_class="2xx"')).toBe(1);
      expect(sample('method="GET",route="unknown",status_class="4xx"')).toBe(2);
      expect(text).not.toContain(id);
      expect(text).not.toContain("unknown-path");
      // The scrape itself.
      expect(sampleIn(text, "http_requests_in_flight")).toBe(1);
    });
  });

  test("GET /metrics tells how far the log is, and how far behind it the projections are", async () => {
    const editor = await service.loginAs("editor");
    const head = sampleIn(await scrape(), "event_log_head_position") ?? 0;
    await createCatalogue(editor);
    const text = await scrape();
    expect(sampleIn(text, "event_log_head_position")).toBeGreaterThan(head);
    expect(sampleIn(text, 'projection_lag_events{projection="catalogues"}')).toBe(0);
    expect(sampleIn(text, 'projection_parked_events{projection="catalogues"}')).toBe(0);
    const sample = 'projection_last_progress_timestamp_seconds{projection="catalogues"}';
    expect(sampleIn(text, sample)).toBeGreaterThan(Date.now() / 1_000 - 3_600);
    for (const name of ["projection_batch_duration_seconds", "projection_batch_events"]) {
      expect(sampleIn(text, `${name}_count{projection="catalogues"}`)).toBeGreaterThan(0);
    }
  });

  test("GET /metrics tells how many revisions are being written", async () => {
    const { id } = await createCatalogue(await service.loginAs("editor"));
    await whileRevisionIsOpen(service, id, async () => {
      await vi.waitFor(async () =>
        expect(sampleIn(await scrape(), "catalogue_open_revisions")).toBe(1),
      );
    });
    await vi.waitFor(async () =>
      expect(sampleIn(await scrape(), "catalogue_open_revisions")).toBe(0),
    );
  });

  const SAMPLES = [
    'circuit_breaker_state{circuit="GeoNet"}',
    'database_pool_connections{pool="gateway",state="active"}',
    'database_pool_connections{pool="gateway",state="idle"}',
    'database_pool_connections{pool="projector",state="idle"}',
    'database_pool_connections{pool="lookups",state="active"}',
    'database_pool_connections{pool="pages",state="idle"}',
    'database_pool_connections{pool="export",state="idle"}',
    ...(testLogKind() === "postgres"
      ? ['database_pool_connections{pool="event-log",state="idle"}']
      : []),
    'database_pool_waiting_requests{pool="gateway"}',
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "nodejs_eventloop_lag_p99_seconds",
    "nodejs_heap_size_used_bytes",
  ];

  test("GET /metrics tells of circuits, connections and the process", async () => {
    const text = await scrape();
    for (const sample of SAMPLES) {
      expect(sampleIn(text, sample), sample).toBeGreaterThanOrEqual(0);
    }
  });

  test("GET /metrics names every measure once, with help and type", async () => {
    const text = await scrape();
    const typed = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(new Set(typed).size).toBe(typed.length);
    expect([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name)).toEqual(typed);
    for (const name of typed) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  });

  test("GET /metrics is not for who comes through a proxy that is not believed", async () => {
    for (const header of ["x-forwarded-for", "forwarded", "x-real-ip"]) {
      const answer = await guest().get("/metrics", { [header]: "127.0.0.1" });
      expectRefusal(answer, "FORBIDDEN");
    }
  });
});

describe("behind a proxy", () => {
  const service = useService({ TRUST_PROXY: "true", ROLES: "gateway" }, { copyOf: whole });

  test("is for administrators, and no other user from elsewhere", async () => {
    const metrics = async (token?: string) =>
      createApiClient(service.url, token).get("/metrics", ELSEWHERE);
    expectRefusal(await metrics(), "FORBIDDEN");
    for (const role of ["viewer", "editor"] as const) {
      const { token } = await (await newAccount(service, role)).signIn();
      expectRefusal(await metrics(token), "FORBIDDEN");
    }
    const { token } = await (await newAccount(service, "admin")).signIn();
    expect((await metrics(token)).status).toBe(200);
  });

  test("is for administrators' access tokens with the scope metrics, which open nothing else", async () => {
    const admin = await newAccount(service, "admin");
    const { client } = await admin.signIn();
    const by = async (scopes: readonly string[]) =>
      createApiClient(service.url, (await newAccessToken(client, { scopes })).secret);
    const scraper = await by(["metrics"]);
    expect((await scraper.get("/metrics", ELSEWHERE)).status).toBe(200);
    expect((await (await by(["read", "metrics"])).get("/metrics", ELSEWHERE)).status).toBe(200);
    expect((await (await by(["admin"])).get("/metrics", ELSEWHERE)).status).toBe(200);
    expectRefusal(await (await by(["write"])).get("/metrics", ELSEWHERE), "FORBIDDEN", "metrics");
    for (const path of ["/api/catalogues", "/api/users", "/api/auth/session", "/api/tokens"]) {
      expectRefusal(await scraper.get(path), "FORBIDDEN", "scope");
    }
    const other = await service.loginAs("admin");
    await other.send("PATCH", `/api/users/${admin.id}`, { role: "editor" });
    expectRefusal(await scraper.get("/metrics", ELSEWHERE), "FORBIDDEN");
  });

  test("is for clients on the service's own machine alone", async () => {
    const guest = createApiClient(service.url);
    const statusFor = async (address: string) =>
      (await guest.get("/metrics", { "x-forwarded-for": address })).status;
    for (const address of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
      expect(await statusFor(address), address).toBe(200);
    const elsewhere = ["10.0.0.1", "::2", "127.0.0.1, 10.0.0.1", "localhost", "128.0.0.1"];
    for (const address of elsewhere) expect(await statusFor(address), address).toBe(403);
  });
});
