import { describe, expect, test } from "vitest";
import { useService } from "../../support/service.ts";
import { expectRefusal } from "../support/refusal.ts";

const MIB = 1024 * 1024;

async function pictureSources(url: string): Promise<string | undefined> {
  const { headers } = await fetch(url, { headers: { accept: "text/html" } });
  const policy = headers.get("content-security-policy") ?? "";
  return policy.split(";").find((directive) => directive.startsWith("img-src "));
}

describe("the settings", () => {
  const service = useService();

  test("the settings tell guests agencies, limits and version, and of no tiles", async () => {
    const guest = await service.loginAs("guest");
    const { status, body, headers } = await guest.get("/api/settings");
    expect(status).toBe(200);
    expect(body).toEqual({
      version: headers.get("x-api-version"),
      agencies: ["GeoNet"],
      limits: {
        maxBodyBytes: 100 * MIB,
        maxUploadBytes: 100 * MIB,
        maxEventsPerRequest: 500_000,
        maxColumnEvents: 2_000_000,
      },
      registration: "open",
      signIn: { passwords: true, institute: false },
      tiles: null,
    });
    expect(await pictureSources(service.url)).toBe("img-src 'self' data: blob:");
  });

  test("the settings take no parameters", async () => {
    const guest = await service.loginAs("guest");
    expectRefusal(await guest.get("/api/settings?all=true"), "VALIDATION_ERROR", "all");
  });
});

describe("the settings of a configured service", () => {
  const url = "https://tiles.example.org:8443/{z}/{x}/{y}.png?key=k";
  const service = useService({
    AGENCY_NAME: "Institut de Physique du Globe",
    MAX_BODY_MB: "3",
    MAX_UPLOAD_MB: "7",
    MAX_EVENTS_PER_REQUEST: "1000",
    MAP_TILES_URL: url,
    MAP_TILES_CREDIT: "© People & others",
  });

  test("the settings of a configured service are what it was given", async () => {
    const { body } = await (await service.loginAs("guest")).get("/api/settings");
    expect(body).toMatchObject({
      agencies: ["Institut de Physique du Globe"],
      limits: { maxBodyBytes: 3 * MIB, maxUploadBytes: 7 * MIB, maxEventsPerRequest: 1_000 },
      tiles: { url, credit: "© People & others" },
    });
  });

  test("the settings of a configured service let pages load pictures from the tiles' host alone", async () => {
    expect(await pictureSources(service.url)).toBe(
      "img-src 'self' data: blob: https://tiles.example.org:8443",
    );
  });
});
