import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The secret in `path`; null without a file. @throws Error when the file is too short */
async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, "utf8")).trim();
    if (secret.length >= 32) return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  throw new Error(`${path} holds no secret: it is shorter than 32 characters`);
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

/** The secret in `path` (mode 0600), 32 random bytes; concurrent processes create the same. */
export async function keptSecret(path: string): Promise<string> {
  const present = await readSecret(path);
  if (present !== null) return present;
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeDurably(draft, `${randomBytes(32).toString("base64url")}\n`);
  try {
    // A link, unlike a rename, does not replace a secret that another process has just written.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const secret = await readSecret(path);
  if (secret === null) throw new Error(`${path} vanished while it was being made`);
  return secret;
}

/** The secret that signs sessions in embedded mode: created once and kept in `dataDir/jwt-secret`. */
export function developmentSecret(dataDir: string): Promise<string> {
  return keptSecret(join(dataDir, "jwt-secret"));
}
