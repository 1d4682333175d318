import { stat } from "node:fs/promises";

/**
 * A running PostgreSQL that the files of a DATA_DIR tell of, and that works in another folder: the
 * DATA_DIR is a copy, and what was written there would go to the original.
 */
export class OtherFolder extends Error {
  override readonly name = "OtherFolder";

  constructor(own: string, other: string) {
    super(
      `PostgreSQL runs in ${other}, not in ${own}: stop it, or remove postmaster.pid from a copy`,
    );
  }
}

/** Whether two paths, links followed, lead to one folder. @throws the system's error for one that cannot be seen */
export async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path, { bigint: true })));
  return a?.dev === b?.dev && a?.ino === b?.ino;
}

/**
 * Whether the server with this number works in `clusterDir`: PostgreSQL's working directory is its
 * cluster. Where that cannot be seen, what it has written down counts.
 * @param written the folder that its pid file names
 * @throws OtherFolder when it cannot be told
 */
export async function worksIn(clusterDir: string, pid: number, written: string): Promise<boolean> {
  for (const path of [`/proc/${pid}/cwd`, written]) {
    const isSame = await isSameFolder(path, clusterDir).catch(() => null);
    if (isSame !== null) return isSame;
  }
  throw new OtherFolder(clusterDir, written);
}
