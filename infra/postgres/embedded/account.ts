import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The operating-system account that runs PostgreSQL; null for our own. */
export type ServerAccount = { readonly uid: number; readonly gid: number } | null;

const ACCOUNT_NAME = "postgres";

async function lookUp(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

async function create(name: string): Promise<void> {
  await run("groupadd", ["--system", "--force", name]);
  await run("useradd", [
    "--system",
    "--gid",
    name,
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin",
    name,
  ]);
}

async function findOrCreate(name: string): Promise<{ uid: number; gid: number }> {
  const account = await lookUp(name);
  if (account) return account;
  // A concurrent start may create the account at the same moment; only its existence matters.
  const failure = await create(name).then(
    () => null,
    (error: unknown) => error,
  );
  const created = await lookUp(name);
  if (created) return created;
  throw new Error(
    `PostgreSQL does not run as root, and the user "${name}" could not be created: create it, or run the service as another user`,
    { cause: failure },
  );
}

/**
 * PostgreSQL refuses to run as root. Root therefore runs it as the owner of the cluster, or as the
 * user `postgres` without a cluster; any other account runs it as itself.
 * @param clusterDir the cluster, which may not exist yet
 */
export async function serverAccount(clusterDir: string): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(clusterDir).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return findOrCreate(ACCOUNT_NAME);
}

/** Gives a cluster owned by root, such as a copy, to the account that is to run it. */
export async function giveCluster(account: ServerAccount, clusterDir: string): Promise<void> {
  const owner = await stat(clusterDir).catch(() => null);
  if (account === null || owner?.uid !== 0) return;
  await run("chown", ["--recursive", `${account.uid}:${account.gid}`, clusterDir]);
}

/** True when `account` may enter the directory, or execute the program, `path` itself. */
export async function mayEnter(
  account: { uid: number; gid: number },
  path: string,
): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

/** The outermost part of `path` that `account` may not enter or execute; null without one. */
export async function obstacleFor(
  account: { uid: number; gid: number },
  path: string,
): Promise<string | null> {
  const parent = dirname(path);
  if (parent !== path) {
    const above = await obstacleFor(account, parent);
    if (above) return above;
  }
  return (await mayEnter(account, path)) ? null : path;
}
