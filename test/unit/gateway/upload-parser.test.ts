import { readdir, readlink } from "node:fs/promises";
import { platform } from "node:os";
import { afterAll, describe, expect, test } from "vitest";
import { MAX_ANSWER_TIMES } from "#contracts/http/uploads.ts";
import { createSpool, type Spool } from "#infra/files/spool.ts";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { openGatewayThreads } from "#services/threads.ts";
import { parseUpload } from "#services/uploads/parser.ts";

const MIB = 1024 * 1024;
const ROW = "2020-01-01T00:00:00Z,1,2,3,4\n";
const AS_CSV = { extension: "csv", delimiter: "auto" } as const;

const { threads, close } = openGatewayThreads("");
const DEPS = { threads, maxUploadBytes: 1024 * MIB };
afterAll(close);

async function csv(bytes: number): Promise<Spool> {
  const file = createSpool();
  await file.write(Buffer.from("time,latitude,longitude,depth,magnitude\n"));
  const piece = Buffer.from(ROW.repeat(MIB / ROW.length));
  for (let written = 0; written < bytes; written += piece.length) await file.write(piece);
  return file;
}

/** The temporary files that this process holds open. */
async function openSpools(): Promise<number> {
  const directory = "/proc/self/fd";
  const links = (await readdir(directory)).map((fd) =>
    readlink(`${directory}/${fd}`).catch(() => ""),
  );
  return (await Promise.all(links)).filter((path) => path.includes("catalogue-spool-")).length;
}

test("files of one editor that come to no end leave a thread to another's at the same address", async () => {
  const ending = new AbortController();
  const never = new Promise<never>((_, reject) => {
    ending.signal.addEventListener("abort", () => reject(ending.signal.reason));
  });
  // Nobody may wait for it when it comes.
  never.catch(() => undefined);
  async function* endless() {
    yield Buffer.from("time,latitude,longitude,depth,magnitude\n");
    yield await never;
  }
  const parsed = Array.from({ length: 4 }, () =>
    parseUpload(
      DEPS,
      { read: endless, discard: async () => undefined },
      AS_CSV,
      { ...NOBODY, caller: "one", signal: ending.signal },
      createSpool,
    ),
  );
  const small = createSpool();
  await small.write(Buffer.from(`time,latitude,longitude,depth,magnitude\n${ROW}`));
  const { rows, end } = await parseUpload(
    DEPS,
    small,
    AS_CSV,
    { ...NOBODY, caller: "another" },
    createSpool,
  );
  expect(end.rowCount).toBe(1);
  await rows.discard();
  ending.abort(new Error("the client has left"));
  for (const one of await Promise.allSettled(parsed)) expect(one.status).toBe("rejected");
});

describe.runIf(platform() === "linux")("a parser of uploads", () => {
  test("a parser of uploads ends with its client, in the middle of a file, and keeps no temporary file", async () => {
    const leaving = new AbortController();
    const file = await csv(5 * MIB);
    const watched: Spool = {
      ...file,
      async *read() {
        let pieces = 0;
        for await (const piece of file.read()) {
          if (++pieces === 20) leaving.abort(new Error("the client has left"));
          if (pieces === 40) throw new Error("the file is still read");
          yield piece;
        }
      },
    };
    const parsed = parseUpload(
      DEPS,
      watched,
      AS_CSV,
      { ...NOBODY, signal: leaving.signal },
      createSpool,
    );
    await expect(parsed).rejects.toThrow("the client has left");
    expect(await openSpools()).toBe(0);
  });

  test("a parser of uploads does not begin with a file whose client has left, and discards it", async () => {
    const gone = AbortSignal.abort(new Error("the client has left"));
    const file = await csv(5 * MIB);
    expect(await openSpools()).toBe(1);
    await expect(
      parseUpload(DEPS, file, AS_CSV, { ...NOBODY, signal: gone }, createSpool),
    ).rejects.toThrow("the client has left");
    expect(await openSpools()).toBe(0);
  });

  test("a parser of uploads keeps the rows alone of a file that it has read", async () => {
    const file = await csv(5 * MIB);
    const { rows, end } = await parseUpload(DEPS, file, AS_CSV, NOBODY, createSpool);
    expect(end.rowCount).toBeGreaterThan(0);
    expect(await openSpools()).toBe(1);
    await rows.discard();
    expect(await openSpools()).toBe(0);
  });

  test("a parser of uploads stops where the rows are larger than an answer may be, and keeps nothing", async () => {
    const small = { threads, maxUploadBytes: MIB / MAX_ANSWER_TIMES };
    const parsed = parseUpload(small, await csv(5 * MIB), AS_CSV, NOBODY, createSpool);
    await expect(parsed).rejects.toMatchObject({
      code: "FILE_TOO_LARGE",
      message: "The file is too large: its rows are larger than 1 MiB as JSON",
    });
    expect(await openSpools()).toBe(0);
  });
});
