import { stat } from "node:fs/promises";

/** The DATA_DIR is a copy: its files name a PostgreSQL that runs in the original. */
export class OtherFolder extends Error {
  override readonly name = "OtherFolder";

  constructor(own: string, other: string) {
    super(
      `PostgreSQL runs in ${other}, not in ${own}: stop it, or remove postmaster.pid from a copy`,
    );
  }
}

/** Whether two paths lead to one folder. @throws the system's error when one is not accessible */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path, { bigint: true })));
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

/**
 * Whether the server with this process id works in `clusterDir`: PostgreSQL's working directory is
 * its cluster. Where the working directory is not visible, the folder in the pid file decides.
 * @param written the folder named in the pid file
 * @throws OtherFolder when the answer is unknown
 */
export async function worksIn(clusterDir: string, pid: number, written: string): Promise<boolean> {
  for (const path of [`/proc/${pid}/cwd`, written]) {
    const isSame = await isSameFolder(path, clusterDir).catch(() => null);
    if (isSame !== null) return isSame;
  }
  throw new OtherFolder(clusterDir, written);
}
