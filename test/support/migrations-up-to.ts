import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

const MIGRATIONS = join(import.meta.dirname, "../../infra/postgres/migrations");

/** A directory with the migrations that an older installation has, up to this number of four digits. */
export async function migrationsUpTo(last: string): Promise<string> {
  const directory = await temporaryDirectory();
  const names = (await readdir(MIGRATIONS)).filter((name) => name.slice(0, last.length) <= last);
  for (const name of names) await cp(join(MIGRATIONS, name), join(directory, name));
  return directory;
}
