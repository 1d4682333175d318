import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { PartsManifest } from "#contracts/http/parts.ts";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { CONFIG } from "../../support/api/merges.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { person, restricted } from "../rights/rights-scene.ts";

let partsDir = "";

beforeAll(async () => {
  const { path, remove } = await createTemporaryDirectory();
  partsDir = path;
  return remove;
});

const service = useService(() => ({ PARTS_DIR: partsDir }));
const editor = service.client("editor");

const pathOf = (id: string) => `/api/catalogues/${id}/parts/manifest.json`;

async function keep(client: ApiClient, id: string, parts = true): Promise<void> {
  const { status } = await client.send("PATCH", `/api/catalogues/${id}`, { parts });
  expect(status).toBe(200);
}

/** The manifest of a catalogue, once there is one. */
function manifestOf(client: ApiClient, id: string): Promise<PartsManifest> {
  return vi.waitFor(
    async () => {
      const { status, body } = await client.get<PartsManifest>(pathOf(id));
      expect(status).toBe(200);
      return body;
    },
    { timeout: 60_000, interval: 100 },
  );
}

const partOf = (id: string, { base }: PartsManifest) =>
  `/api/catalogues/${id}/parts/${base.files[0]?.path}`;

test("parts are there soon after they are asked for, are shown by the catalogue, and go when they are not wanted", async () => {
  const { id, parts } = await createCatalogue(editor, { events: [seismicEvent()] });
  expect(parts).toBe(false);
  expectRefusal(await editor.get(pathOf(id)), "NOT_FOUND");
  await keep(editor, id);
  expect((await editor.get(`/api/catalogues/${id}`)).body).toMatchObject({ parts: true });
  const manifest = await manifestOf(editor, id);
  expect(manifest).toMatchObject({ catalogue: id, version: 1, event_count: 1 });
  const part = partOf(id, manifest);
  expect((await editor.get(part)).status).toBe(200);
  await keep(editor, id, false);
  expectRefusal(await editor.get(part), "NOT_FOUND");
  const folder = join(partsDir, id);
  await vi.waitFor(() => expect(rm(folder)).rejects.toThrow("ENOENT"), { timeout: 60_000 });
  await keep(editor, id);
  await manifestOf(editor, id);
  await editor.send("DELETE", `/api/catalogues/${id}`);
  await vi.waitFor(() => expect(rm(folder)).rejects.toThrow("ENOENT"), { timeout: 60_000 });
});

describe("a file", () => {
  let id: string;
  let path: string;
  let whole: Buffer;
  let sha256: string;

  beforeAll(async () => {
    ({ id } = await createCatalogue(editor, { events: [seismicEvent()] }));
    await keep(editor, id);
    const manifest = await manifestOf(editor, id);
    path = partOf(id, manifest);
    sha256 = manifest.base.files[0]?.sha256 ?? "";
    whole = Buffer.from(await (await editor.stream(path)).arrayBuffer());
  });

  test("is whole, with its hash as its tag, and is stored by whoever asked", async () => {
    const { headers } = await editor.head(path);
    expect(createHash("sha256").update(whole).digest("hex")).toBe(sha256);
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: `"${sha256}"`,
      "accept-ranges": "bytes",
      "content-length": String(whole.length),
      "content-type": "application/vnd.apache.parquet",
      "cache-control": "private, max-age=31536000, immutable",
    });
    const again = await editor.get(path, { "if-none-match": `"${sha256}"` });
    expect(again.status).toBe(304);
    const manifest = await editor.stream(pathOf(id));
    const tag = createHash("sha256")
      .update(await manifest.text())
      .digest("hex");
    expect(manifest.headers.get("etag")).toBe(`"${tag}"`);
    expect(manifest.headers.get("cache-control")).toBe("private, no-cache");
  });

  test("is answered by range, whole for several ones or those of another file", async () => {
    const size = whole.length;
    const rows: readonly [string, number, Buffer, string | null][] = [
      ["bytes=0-3", 206, whole.subarray(0, 4), `bytes 0-3/${size}`],
      ["bytes=4-4", 206, whole.subarray(4, 5), `bytes 4-4/${size}`],
      ["bytes=-8", 206, whole.subarray(-8), `bytes ${size - 8}-${size - 1}/${size}`],
      [`bytes=${size - 1}-`, 206, whole.subarray(-1), `bytes ${size - 1}-${size - 1}/${size}`],
      [`bytes=0-${10 * size}`, 206, whole, `bytes 0-${size - 1}/${size}`],
      ["bytes=0-1,4-5", 200, whole, null],
      ["rows=0-1", 200, whole, null],
    ];
    for (const [range, status, bytes, content] of rows) {
      const answer = await editor.stream(path, { range, "accept-encoding": "gzip, zstd" });
      expect([range, answer.status, answer.headers.get("content-range")]).toEqual([
        range,
        status,
        content,
      ]);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(answer.headers.get("content-encoding")).toBeNull();
    }
    for (const [validator, status] of [
      [`"${sha256}"`, 206],
      ['"another"', 200],
    ] as const) {
      const conditional = await editor.get(path, { range: "bytes=0-3", "if-range": validator });
      expect(conditional.status).toBe(status);
    }
    const beyond = await editor.get(path, { range: `bytes=${size}-` });
    expectRefusal(beyond, "RANGE_NOT_SATISFIABLE");
    expect(beyond.headers.get("content-range")).toBe(`bytes */${size}`);
    const first = await editor.stream(pathOf(id), { range: "bytes=0-0" });
    expect(await first.text()).toBe("{");
  });

  test("that the manifest names and this server has not is 503, any other 404", async () => {
    const other = `/api/catalogues/${id}/parts`;
    const none = "0".repeat(64);
    const paths = [
      `base/year=2016/${none}.parquet`,
      `changes/1-2-${none}.parquet`,
      `overview/${none}.parquet`,
      `base/year=2016/..%2F..%2Fmanifest.json`,
      "base/manifest.json",
      "overview/.parquet",
      "",
    ];
    for (const one of paths) expectRefusal(await editor.get(`${other}/${one}`), "NOT_FOUND");
    const { path: file } = (await manifestOf(editor, id)).overview;
    await rm(join(partsDir, id, file));
    expectRefusal(await editor.get(`${other}/${file}`), "UNAVAILABLE");
  });
});

describe("parts are read as exports are", () => {
  test.each(["public", "internal", "restricted"] as const)(
    "of a catalogue that is %s",
    async (access) => {
      const owner = await person(service, "editor");
      const viewer = service.client("viewer");
      const { id } = await createCatalogue(owner.client, { access, events: [seismicEvent()] });
      await keep(owner.client, id);
      const manifest = await manifestOf(owner.client, id);
      const token = await newAccessToken(owner.client, { scopes: ["read"], catalogues: [id] });
      const made = await owner.client.send<{ share: { url: string } }>(
        "POST",
        `/api/catalogues/${id}/shares`,
        {},
      );
      const below = new URL(made.body.share.url).pathname;
      const guest = service.client("guest");
      const byToken = createApiClient(service.url, token.secret);
      for (const path of [pathOf(id), partOf(id, manifest)]) {
        const exported = `/api/catalogues/${id}/export`;
        for (const client of [guest, viewer, owner.client, byToken]) {
          expect([path, (await client.get(path)).status]).toEqual([
            path,
            (await client.get(exported)).status,
          ]);
        }
        const shared = path.replace(`/api/catalogues/${id}`, below);
        const answer = await guest.stream(shared, { range: "bytes=0-3" });
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([206, "no-store"]);
      }
    },
  );
});

test("a merge with a restricted source has no parts, and loses them when a source becomes restricted", async () => {
  const owner = await person(service, "editor");
  const open = await createCatalogue(owner.client, { name: "open", events: [seismicEvent()] });
  const other = await createCatalogue(owner.client, { name: "other", events: [seismicEvent()] });
  const hidden = await restricted(owner.client);
  const merged = async (second: string) => {
    const { body } = await owner.client.send<{ catalogueId: string }>("POST", "/api/merge", {
      name: "merged",
      sourceCatalogues: [
        { id: open.id, source: "open" },
        { id: second, source: "second" },
      ],
      config: CONFIG,
    });
    return body.catalogueId;
  };
  const withHidden = await merged(hidden.id);
  const refused = await owner.client.send("PATCH", `/api/catalogues/${withHidden}`, {
    parts: true,
  });
  expectRefusal(refused, "CONFLICT", "restricted source");

  const withOpen = await merged(other.id);
  await keep(owner.client, withOpen);
  const manifest = await manifestOf(owner.client, withOpen);
  await owner.client.send("PATCH", `/api/catalogues/${other.id}`, { access: "restricted" });
  // From the next request on, for its members and administrators too.
  for (const client of [owner.client, service.client("viewer"), service.client("admin")]) {
    expectRefusal(await client.get(partOf(withOpen, manifest)), "NOT_FOUND");
  }
  await vi.waitFor(() => expect(rm(join(partsDir, withOpen))).rejects.toThrow("ENOENT"), {
    timeout: 60_000,
  });
  await owner.client.send("PATCH", `/api/catalogues/${other.id}`, { access: "internal" });
  await manifestOf(owner.client, withOpen);
});
