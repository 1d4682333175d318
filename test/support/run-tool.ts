import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTemporaryDirectory } from "./temporary-directory.ts";

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * What a command-line tool says of a file with this content; its path comes after `args`.
 * @throws Error with the tool's output when it ends with a failure
 */
export async function runTool(
  tool: string,
  args: readonly string[],
  fileName: string,
  content: Uint8Array,
): Promise<string> {
  const directory = await createTemporaryDirectory();
  try {
    const path = join(directory.path, fileName);
    await writeFile(path, content);
    const { stdout } = await run(tool, [...args, path], { maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } finally {
    await directory.remove();
  }
}
