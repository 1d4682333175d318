import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openedFile } from "#infra/files/opened-file.ts";
import { openResources, spoolsAmong } from "../../support/open-resources.ts";
import { zip } from "../../support/zip.ts";

const MIB = 1024 * 1024;

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.slice(at, at + 64 * 1024);
}

test.each([true, false])(
  "a ZIP of one file is read from the disk, not held (deflated: %s)",
  async (isDeflated) => {
    const content = randomBytes(16 * MIB);
    const archive = zip({ "a.csv": content, "__MACOSX/._a.csv": "x" }, isDeflated);
    globalThis.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const { name, bytes } = await openedFile("a.zip", inPieces(archive), 64 * MIB);
    expect(name).toBe("a.csv");
    expect(spoolsAmong(await openResources())).toBe(1);
    let at = 0;
    for await (const piece of bytes) {
      expect(content.subarray(at, at + piece.length).equals(piece)).toBe(true);
      at += piece.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(at).toBe(content.length);
    expect(most).toBeLessThan(content.length);
    expect(spoolsAmong(await openResources())).toBe(0);
  },
);

test("of a ZIP whose file is too large or is not read to its end nothing is left", async () => {
  const archive = zip({ "a.csv": randomBytes(4 * MIB) });
  const large = await openedFile("a.zip", inPieces(archive), MIB);
  const whole = async () => {
    for await (const _ of large.bytes);
  };
  await expect(whole()).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  const left = await openedFile("a.zip", inPieces(archive), 8 * MIB);
  for await (const _ of left.bytes) break;
  await expect.poll(async () => spoolsAmong(await openResources())).toBe(0);
});

test("a ZIP of thousands of files is told apart from one of one, however long its directory is", async () => {
  const files = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`a file ${i}`, ""]));
  await expect(openedFile("a.zip", inPieces(zip(files)), 64 * MIB)).rejects.toThrow(
    /holds \d+ files, not one/,
  );
});
