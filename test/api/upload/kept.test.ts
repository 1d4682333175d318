import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/uploads.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { type CreatedCatalogue, createCatalogue } from "../../support/api/catalogue.ts";
import { type FileFormOptions, fileForm } from "../../support/api/file-form.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { withClient } from "../../support/database-template.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";

const service = useService({ MAX_EVENTS_PER_REQUEST: "2600" });
const client = service.client("editor");
type Content = string | Uint8Array<ArrayBuffer>;

const HEAD = "time,latitude,longitude,magnitude,depth,note\n";

/** More than a piece of what is kept, and than a chunk of the log, where rows are many. */
function csv(rows: number): string {
  const filler = rows > 1_000 ? "x".repeat(450) : "";
  const lines = Array.from({ length: rows }, (_, i) => {
    const time = new Date(Date.UTC(2020, 0, 1) + i * 1000).toISOString();
    return `${time},${(i % 170) - 85},${i % 180},${(i % 70) / 10},${i % 600},row ${i} ${filler}`;
  });
  return `${HEAD}${lines.join("\n")}\n`;
}

async function upload(content: Content, options: FileFormOptions = {}, query = "", by = client) {
  const form = fileForm(content, options);
  const { status, body } = await by.send<UploadResult>("POST", `/api/upload${query}`, form);
  expect(status, JSON.stringify(body)).toBe(200);
  return { ...body, uploadId: body.uploadId ?? "" };
}

const keep = (content: Content, options: FileFormOptions = {}, by = client) =>
  upload(content, options, "?keep=true", by);

const create = (body: Readonly<Record<string, unknown>>, by = client) =>
  by.send<CreatedCatalogue>("POST", "/api/catalogues", { name: "uploaded", ...body });

/** All events of a catalogue without our ids, in the order of time. */
async function eventsOf(id: string) {
  const path = `/api/catalogues/${id}/export?format=json&orderBy=time-asc`;
  const { body } = await client.get<{ events: SeismicEvent[] }>(path);
  return body.events.map(({ id: _, ...event }) => event);
}

/** What a kept file makes of which this is said: its events, or why it is refused. */
async function madeOf(content: Content, said: object = {}, options: FileFormOptions = {}) {
  const { uploadId } = await keep(content, options);
  const { status, headers, body } = await create({ uploadId, ...said });
  if (status !== 201) return { refused: { status, headers, body } };
  const { invalidEvents, ...report } = body.validationReport;
  return { report, events: await eventsOf(body.id) };
}

async function refusalOf(content: Content, said: object, options: FileFormOptions = {}) {
  const { refused } = await madeOf(content, said, options);
  if (refused === undefined) throw new Error("it was not refused");
  return refused;
}

test("a kept upload answers its first 100 rows, all counts, and an id", async () => {
  for (const rows of [1, 99, 100, 101, 2_500]) {
    const { uploadId, ...kept } = await keep(csv(rows));
    const { data, uploadId: _, ...whole } = await upload(csv(rows));
    expect(kept).toEqual({ ...whole, data: data.slice(0, 100) });
    expect(kept.rowCount).toBe(rows);
    expect(uploadId).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("an upload tells in how many rows each column holds nothing, also beyond the first 100", async () => {
  const cell = fc.constantFrom("", " ", "1.5", "x");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 300 }),
      async (rows) => {
        const lines = rows.map(([size, note]) => `2020-01-01T00:00:00Z,1,2,${size},${note}`);
        const content = `time,latitude,longitude,size,note\n${lines.join("\n")}\n`;
        const { emptyCounts } = await keep(content);
        const empty = (column: 0 | 1) => rows.filter((row) => row[column].trim() === "").length;
        expect(Object.entries(emptyCounts)).toEqual([
          ["time", 0],
          ["latitude", 0],
          ["longitude", 0],
          ["size", empty(0)],
          ["note", empty(1)],
        ]);
      },
    ),
    { numRuns: runs(20) },
  );
});

test("columns that some events lack are empty there", async () => {
  const event = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 };
  const content = JSON.stringify([{ ...event, depth: null }, { ...event, magnitude: 3 }, event]);
  const { emptyCounts } = await upload(content, { fileName: "events.json" });
  expect(emptyCounts).toMatchObject({ time: 0, magnitude: 2, depth: 3 });
});

test("a catalogue of a kept upload is that of the same rows as events", async () => {
  const content = `${csv(2_500)}2020-01-01,95,0,1,,beyond the pole\n`;
  const { uploadId } = await keep(content);
  const made = await create({ uploadId });
  expect(made.status).toBe(201);
  const { data } = await upload(content);
  const sent = await create({ events: data });
  expect(made.body.validationReport).toEqual(sent.body.validationReport);
  expect(made.body.validationReport).toMatchObject({ totalSubmitted: 2_501, failedValidation: 1 });
  expect(await eventsOf(made.body.id)).toEqual(await eventsOf(sent.body.id));
});

test("a kept upload can be added to a catalogue, more than once", async () => {
  const { id } = await createCatalogue(client, { events: [] });
  const { uploadId } = await keep(`id,${HEAD}a,2020-01-01,1,2,3,4,x\nb,2020-01-02,1,2,3,4,y\n`);
  const path = `/api/catalogues/${id}/events`;
  const first = await client.send("POST", path, { uploadId });
  expect(first.body).toMatchObject({ newEvents: 2, skippedEvents: 0 });
  const columns = { depth: null };
  const again = await client.send("POST", path, { uploadId, columns, updateExisting: true });
  expect(again.body).toMatchObject({ newEvents: 0, updatedEvents: 2 });
  expect((await eventsOf(id)).map(({ depth }) => depth)).toEqual([null, null]);
});

test("columns of a kept upload are what they are said to be, or are refused by name", async () => {
  const content = "when,north,east,size,depth,km\n2020-01-01T00:00:00Z,1,2,3.5,7000,7\n";
  const columns = {
    ...{ when: "time", north: "latitude", east: "longitude", size: "magnitude" },
    ...{ depth: null, km: "depth" },
  };
  const place = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2, depth: 7, extra: null };
  const { events } = await madeOf(content, { columns });
  expect(events).toMatchObject([{ ...place, magnitude: 3.5 }]);
  const unknown = await madeOf(content, { columns: { ...columns, size: null } });
  expect(unknown.events).toMatchObject([{ ...place, magnitude: null }]);
  for (const [said, field] of [
    [{ height: "depth" }, "columns.height"],
    [{ note: "altitude" }, "columns.note"],
    [{ note: "depth" }, "columns.note"],
    [{ note: "region", time: "region" }, "columns.time"],
    [{ note: 5 }, "columns.note"],
  ] as const) {
    const refusal = expectRefusal(await refusalOf(csv(1), { columns: said }), "VALIDATION_ERROR");
    expect(refusal.details).toMatchObject([{ field }]);
  }
});

test("a kept upload is its owner's alone, and ends after a day", async () => {
  const { uploadId } = await keep(csv(3));
  const other = await (await newAccount(service, "editor")).signIn();
  const { id } = await createCatalogue(client, { events: [] });
  const path = `/api/catalogues/${id}/events`;
  expectRefusal(await other.client.send("POST", path, { uploadId }), "NOT_FOUND");
  expectRefusal(await create({ uploadId }, other.client), "NOT_FOUND");
  expectRefusal(await create({ uploadId: crypto.randomUUID() }), "NOT_FOUND");
  expect((await create({ uploadId })).status).toBe(201);
  await withClient(service.databaseUrl, (database) =>
    database.query(
      "update operations.kept_uploads set created_at = now() - interval '25 hours' where id = $1",
      [uploadId],
    ),
  );
  expectRefusal(await create({ uploadId }), "NOT_FOUND");
});

test("a user keeps as many uploads as come, and when that is too much the next is refused until one expires", async () => {
  const { client: own } = await (await newAccount(service, "editor")).signIn();
  const ids: string[] = [];
  for (let i = 0; i < 6; i += 1) ids.push((await keep(csv(1), {}, own)).uploadId);
  for (const uploadId of ids) expect((await create({ uploadId }, own)).status).toBe(201);
  await withClient(service.databaseUrl, (database) =>
    database.query("update operations.kept_uploads set bytes = 1073741824 where id = $1", [ids[3]]),
  );
  const answer = await own.send("POST", "/api/upload?keep=true", fileForm(csv(1)));
  expectRefusal(answer, "RATE_LIMIT_EXCEEDED", "uploads");
  const wait = Number(answer.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(86_000);
  expect(wait).toBeLessThanOrEqual(86_400);
  expect((await own.send("POST", "/api/upload", fileForm(csv(1)))).status).toBe(200);
  for (const uploadId of ids) expect((await create({ uploadId }, own)).status).toBe(201);
});

test("a kept upload outlives a crash of the database: its tables are logged", async () => {
  const { rows } = await withClient(service.databaseUrl, (database) =>
    database.query<{ relpersistence: string }>(
      "select relpersistence from pg_class where relname like 'kept_upload%' and relkind = 'r'",
    ),
  );
  expect(rows.map(({ relpersistence }) => relpersistence)).toEqual(["p", "p"]);
});

test("the same file under the same key is kept once, another is a conflict", async () => {
  const { client: own } = await (await newAccount(service, "editor")).signIn();
  const upload = (rows: number, key: string, fields = {}) =>
    own.send<UploadResult>("POST", "/api/upload?keep=true", fileForm(csv(rows), { fields }), {
      "idempotency-key": key,
    });
  const [first, meanwhile] = await Promise.all([upload(3, "a"), upload(3, "a")]);
  const again = await upload(3, "a");
  expect(meanwhile.body).toEqual(first.body);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expectRefusal(await upload(4, "a"), "CONFLICT", "Idempotency-Key");
  expectRefusal(await upload(3, "a", { delimiter: "comma" }), "CONFLICT");
  expect((await upload(3, "b")).body.uploadId).not.toBe(first.body.uploadId);
  expectRefusal(await upload(3, "not a key"), "VALIDATION_ERROR", "Idempotency-Key");
  const session = await own.get<{ user: { id: string } }>("/api/auth/session");
  const kept = await withClient(service.databaseUrl, (database) =>
    database.query("select from operations.kept_uploads where owner = $1", [session.body.user.id]),
  );
  expect(kept.rowCount).toBe(2);
  expect((await create({ uploadId: first.body.uploadId }, own)).status).toBe(201);
});

test("an upload stands instead of events, within the limit of a request, and keeps nothing that cannot be read", async () => {
  const { uploadId } = await keep(csv(2_601));
  expectRefusal(await create({ uploadId }), "TOO_MANY_EVENTS");
  expectRefusal(await create({ uploadId, events: [] }), "VALIDATION_ERROR", "uploadId");
  expectRefusal(await create({ uploadId: "x" }), "VALIDATION_ERROR", "uploadId");
  expectRefusal(
    await client.send("POST", "/api/upload?keep=yes", fileForm(csv(1))),
    "VALIDATION_ERROR",
  );
  expectRefusal(
    await client.send("POST", "/api/upload?kept=true", fileForm(csv(1))),
    "VALIDATION_ERROR",
  );
  const { client: own } = await (await newAccount(service, "editor")).signIn();
  const session = await own.get<{ user: { id: string } }>("/api/auth/session");
  expectRefusal(
    await own.send("POST", "/api/upload?keep=true", fileForm("a line of prose\n")),
    "PARSE_ERROR",
  );
  const kept = await withClient(service.databaseUrl, (database) =>
    database.query("select from operations.kept_uploads where owner = $1", [session.body.user.id]),
  );
  expect(kept.rowCount).toBe(0);
});

test("a kept upload of any texts makes what its rows make", async () => {
  const cell = fc
    .string({ unit: "grapheme", maxLength: 12 })
    .filter((text) => !/[\0\r\n]/.test(text));
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 150 }), async (cells) => {
      const rows = cells.map((text, i) => {
        const time = new Date(Date.UTC(2021, 0, 1) + i * 1000).toISOString();
        return `${time},1,2,3,4,"${text.replaceAll('"', '""')}"`;
      });
      const content = `${HEAD}${rows.join("\n")}\n`;
      const { uploadId, data } = await keep(content);
      const whole = await upload(content);
      expect(data).toEqual(whole.data.slice(0, 100));
      const made = await create({ uploadId });
      const sent = await create({ events: whole.data });
      expect([made.status, await eventsOf(made.body.id)]).toEqual([
        201,
        await eventsOf(sent.body.id),
      ]);
    }),
    { numRuns: runs(8) },
  );
});

describe("how a kept file is read", () => {
  const dates = (...texts: readonly string[]) =>
    `time,lat,lon,mag\n${texts.map((text) => `${text},1,2,3\n`).join("")}`;
  const daysOf = (events: readonly { readonly time: string }[] = []) =>
    events.map(({ time }) => time.slice(0, 10));

  // Readers' own tests have what files may be.
  test("its whole decides, or the form, or what is said of it: dates, numbers, encodings and units", async () => {
    const { data, warnings } = await upload(dates("02/03/2021", "25/03/2021"));
    expect(data.map(({ time }) => time)).toEqual(["2021-03-02", "2021-03-25"]);
    expect(warnings).toMatchObject([{ message: expect.stringContaining("day, month, year") }]);
    const mapped = "Tag,lat,lon,mag\n02.03.2021,1,2,3\n25.03.2021,1,2,3\n";
    const ofMapped = await madeOf(mapped, { columns: { Tag: "time" } });
    expect(daysOf(ofMapped.events)).toEqual(["2021-03-02", "2021-03-25"]);
    const text = dates("02/03/2021");
    const said = await upload(text, { fields: { dateOrder: "mdy" } });
    expect(said.data).toMatchObject([{ time: "2021-02-03" }]);
    expect(daysOf((await madeOf(text, { dateOrder: "dmy" })).events)).toEqual(["2021-03-02"]);
    const refusal = expectRefusal(await refusalOf(text, {}), "ALL_EVENTS_INVALID");
    expect(JSON.stringify(refusal)).toMatch(/02\/03\/2021.*dateOrder/);
    const { events: unzipped } = await madeOf(new Uint8Array(gzipSync(dates("2021-03-02"))));
    expect(daysOf(unzipped)).toEqual(["2021-03-02"]);

    const latin = new Uint8Array(
      Buffer.from("time,lat,lon,mag,place\n2021-02-03,1,2,3,Málaga\n", "latin1"),
    );
    expect((await upload(latin)).data).toMatchObject([{ place: "Málaga" }]);
    const fields = { encoding: "iso-8859-5" };
    expect((await upload(latin, { fields })).data).toMatchObject([{ place: "Mсlaga" }]);
    expect((await madeOf(latin, { encoding: "windows-1252" })).events).toHaveLength(1);
    expectRefusal(await refusalOf(latin, { encoding: "utf-8" }), "VALIDATION_ERROR", "encoding");
    for (const other of [{ dateOrder: "ydm" }, { encoding: "klingon" }]) {
      expect((await refusalOf(text, other)).status).toBe(400);
    }

    const mixed = "time,lat,lon,mag,depth\n2021-02-01,1,2,3,371\n2021-02-02,1,2,3,8452.1\n";
    const ofUnit = (unit: string) => ({ columns: { depth: { attribute: "depth", unit } } });
    const metres = await madeOf(mixed, ofUnit("m"));
    expect(metres.events?.map(({ depth }) => depth)).toEqual([0.371, 8.4521]);
    expectRefusal(await refusalOf(mixed, {}), "ALL_EVENTS_INVALID");
    expectRefusal(await refusalOf(mixed, ofUnit("ft")), "VALIDATION_ERROR", "columns.depth");
  });

  test("a header without rows, and an empty catalogue of each format, is an empty catalogue", async () => {
    for (const said of [{}, { columns: { note: null } }, { encoding: "windows-1252" }]) {
      expect((await madeOf(HEAD, said)).events).toEqual([]);
    }
    const { id } = await createCatalogue(client, { events: [] });
    for (const format of ["csv", "json", "geojson", "quakeml", "text"]) {
      const file = await client.stream(`/api/catalogues/${id}/export?format=${format}`);
      const text = await file.text();
      const { rowCount, errors, warnings } = await upload(text);
      expect([format, rowCount, errors]).toEqual([format, 0, []]);
      expect(warnings).toContainEqual({ line: 1, message: "the file has no rows" });
      expect((await madeOf(text)).report).toMatchObject({ totalSubmitted: 0 });
    }
  });
});

describe("columns of delimited text", () => {
  test("a column that is said to be what its name says keeps the unit and the type in its name", async () => {
    const content = "time,lat,lon,DepthMeters,Mw\n2020-01-01,1,2,7000,5\n";
    const columns = { DepthMeters: "depth", Mw: "magnitude", lat: "latitude" };
    const { events } = await madeOf(content, { columns });
    expect(events).toMatchObject([{ depth: 7, magnitude: 5, magnitude_type: "Mw", latitude: 1 }]);
  });

  const cell = fc.oneof(
    fc.constantFrom("", "-1", "-9", "-9.9", "-99", "-999", "NaN", "null", "0", "7", "1e2", "-0"),
    fc.constantFrom("1,5", "eq", "quarry", "ML", "manual", "reviewed", "'=1", "007", "{}", " x "),
  );
  const column = fc.record({
    target: fc.constantFrom(...ATTRIBUTE_NAMES.filter((name) => name !== "source_id"), null),
    cells: fc.array(cell, { minLength: 3, maxLength: 3 }),
  });

  test("a file with any names and columns for them makes what it makes with canonical names", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(column, { minLength: 1, maxLength: 8, selector: ({ target }) => target }),
        async (columns) => {
          const fixed = ["time", "latitude", "longitude", "magnitude"].filter((name) =>
            columns.every(({ target }) => target !== name),
          );
          const shown = columns.filter(({ target }) => target !== null);
          const write = (names: readonly string[], of: typeof columns) => {
            const rows = [0, 1, 2].map((row) => {
              const values: Record<string, string> = {
                time: `2020-01-0${row + 1}`,
                latitude: "1",
                longitude: "2",
                magnitude: "3",
              };
              const own = of.map(({ cells }) => `"${cells[row]}"`);
              return [...fixed.map((name) => values[name]), ...own].join(",");
            });
            return `${[...fixed, ...names].join(",")}\n${rows.join("\n")}\n`;
          };
          const nameOf = (target: string | null) => `z_${target}_z`;
          const foreign = write(
            columns.map(({ target }) => nameOf(target)),
            columns,
          );
          const canonical = write(
            shown.map(({ target }) => String(target)),
            shown,
          );
          const said = Object.fromEntries(columns.map(({ target }) => [nameOf(target), target]));
          const given = JSON.stringify(await madeOf(foreign, { columns: said }));
          const named = JSON.parse(given.replaceAll(/z_(\w+?)_z/g, "$1"));
          expect(named).toEqual(JSON.parse(JSON.stringify(await madeOf(canonical))));
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe("members of JSON and GeoJSON", () => {
  const event = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 };

  test("are named by their own names, or by those that they are shown with", async () => {
    const content = JSON.stringify([{ ...event, Mg: "-9.9", art: "quarry", gap: 90, note: "x" }]);
    const options = { fileName: "a.json" };
    const { headers, members } = await keep(content, options);
    expect(headers).toContain("azimuthal_gap");
    expect(members).toEqual(["Mg", "art", "gap", "note"]);
    const columns = {
      Mg: "magnitude",
      magnitude: null,
      art: "event_type",
      azimuthal_gap: "depth",
      depth: null,
      note: null,
    };
    const { events } = await madeOf(content, { columns }, options);
    const extra = { magnitude: -9.9, event_type: "quarry" };
    expect(events).toMatchObject([
      { magnitude: null, event_type: "quarry blast", depth: 90, azimuthal_gap: null, extra },
    ]);
    expect((await madeOf(content, { columns: { gap: null } }, options)).events).toMatchObject([
      { azimuthal_gap: null },
    ]);
  });

  test("may be what they are taken for by themselves, or each other, or suffice where names say nothing", async () => {
    const content = JSON.stringify([{ t: event.time, lat: 1, lon: 2, M: 3 }]);
    const options = { fileName: "a.json" };
    const columns = { t: "time", lat: "longitude", lon: "latitude", M: "magnitude" };
    const { events } = await madeOf(content, { columns }, options);
    const turned = { time: event.time, latitude: 2, longitude: 1, magnitude: 3 };
    expect(events).toMatchObject([turned]);
    const json = JSON.stringify([{ WANN: "2018-02-03 04:05:06", B: "31.5", L: "95.5", M: "4.4" }]);
    const mapped = { columns: { WANN: "time", B: "latitude", L: "longitude" } };
    expect((await madeOf(json, mapped)).events).toMatchObject([
      { time: "2018-02-03T04:05:06Z", latitude: 31.5, longitude: 95.5, magnitude: 4.4 },
    ]);
    const unknown = await refusalOf(content, { columns: { size: "magnitude" } }, options);
    expectRefusal(unknown, "VALIDATION_ERROR", "columns.size");
  });
});

test("attributes of QuakeML are named by their canonical names", async () => {
  const content = `<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2"><eventParameters publicID="smi:a/p"><event publicID="smi:a/1"><type>quarry blast</type>
<origin publicID="smi:a/o"><time><value>2020-01-01T00:00:00Z</value></time><latitude><value>1</value></latitude><longitude><value>2</value></longitude><depth><value>7000</value><uncertainty>400</uncertainty></depth></origin>
<magnitude publicID="smi:a/m"><mag><value>3</value></mag><type>ML</type></magnitude></event></eventParameters></q:quakeml>`;
  const columns = { depth: null, depth_uncertainty: "horizontal_uncertainty", event_type: null };
  const { events } = await madeOf(content, { columns }, { fileName: "a.xml" });
  expect(events).toMatchObject([
    {
      depth: null,
      depth_uncertainty: null,
      horizontal_uncertainty: 0.4,
      event_type: null,
      magnitude: 3,
      magnitude_type: "ML",
    },
  ]);
});
