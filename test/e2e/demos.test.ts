import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const execute = promisify(execFile);

/** What a demonstration prints where no real files are beside the project; rejects when it fails. */
async function shown(demo: string): Promise<string> {
  const script = fileURLToPath(new URL(`../demo/${demo}`, import.meta.url));
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    REAL_DATA_DIR: await temporaryDirectory(),
  };
  return (await execute(process.execPath, [script], { env })).stdout;
}

test("the tour of the service goes to its end without real files", async () => {
  const output = await shown("demo.ts");
  expect(output).toContain("10 of 12 visible");
  expect(output).toContain("2 refused");
  expect(output).toContain("10 events\n");
});

test("the clients that are installed read a catalogue, and the others are named", async () => {
  const output = await shown("clients.ts");
  expect(output).toContain("10 events of ");
  expect(output).toMatch(
    /== Every client could read it\n$|== Every client that is installed could read it\nNot installed: .+\n$/,
  );
});
