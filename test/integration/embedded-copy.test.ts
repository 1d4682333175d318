import { cp, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OtherFolder, worksIn } from "#infra/postgres/embedded/place.ts";
import { withClient } from "../support/database-template.ts";
import { spawnEmbedded } from "../support/embedded-process.ts";
import { serverPid, startForTest } from "../support/embedded-server.ts";
import { preparedDataDir } from "../support/prepared-data-dir.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

async function query(url: string, text: string): Promise<unknown[]> {
  return (await withClient(url, (client) => client.query(text))).rows;
}

const NOTES = "select text from notes order by text";

/** The URL of a database with one note, in a folder of its own, and what ends the service over it. */
async function originalWith(note: string) {
  const dataDir = join(await temporaryDirectory(), "original");
  await rename(await preparedDataDir(), dataDir);
  const service = spawnEmbedded(dataDir);
  const outcome = await service.ready;
  if ("error" in outcome) throw new Error(outcome.error);
  await query(outcome.url, `create table notes as select '${note}' as text`);
  return { dataDir, url: outcome.url, kill: service.kill };
}

describe("a copy of a DATA_DIR whose PostgreSQL runs", () => {
  test.each([
    ["while its service runs", false],
    ["after its service was killed", true],
  ])(
    "a copy of a DATA_DIR whose PostgreSQL runs gets a PostgreSQL of its own %s",
    async (_when, isKilled) => {
      const original = await originalWith("of both");
      if (isKilled) await original.kill();
      const dataDir = join(await temporaryDirectory(), "copy");
      await cp(original.dataDir, dataDir, { recursive: true, preserveTimestamps: true });
      const copy = await startForTest(dataDir);
      await query(copy.url, "insert into notes values ('of the copy')");
      expect(await query(original.url, NOTES)).toEqual([{ text: "of both" }]);
      expect(await query(copy.url, NOTES)).toEqual([{ text: "of both" }, { text: "of the copy" }]);
      await copy.stop();
      expect(await query(original.url, NOTES)).toEqual([{ text: "of both" }]);
      // The killed service's is taken over by whoever starts there again, and stopped with him.
      await original.kill();
      expect((await startForTest(original.dataDir)).url).toBe(original.url);
    },
  );
});

test("a start is refused with the name of the other folder where it cannot be seen", async () => {
  const own = await temporaryDirectory();
  await expect(worksIn(own, 2 ** 30, "/no/such/folder")).rejects.toThrow(
    new OtherFolder(own, "/no/such/folder"),
  );
});

describe("the PostgreSQL of a killed service is taken over", () => {
  test("the PostgreSQL of a killed service is taken over through a link to its DATA_DIR", async () => {
    const { dataDir, url, kill } = await originalWith("kept");
    await kill();
    const link = join(await temporaryDirectory(), "link");
    await symlink(dataDir, link);
    expect((await startForTest(link)).url).toBe(url);
  });

  test("the PostgreSQL of a killed service is taken over from a DATA_DIR that was moved meanwhile", async () => {
    const { dataDir, url, kill } = await originalWith("kept");
    await kill();
    const moved = `${dataDir}-moved`;
    const pid = await serverPid(dataDir);
    await rename(dataDir, moved);
    const next = await startForTest(moved);
    expect(next.url).toBe(url);
    expect(await serverPid(moved)).toBe(pid);
  });
});
