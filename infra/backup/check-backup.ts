import { type BackupHeader, type BackupTrailer, UnusableBackup } from "./backup-format.ts";
import { readBackup } from "./read-backup.ts";

/** Reads the whole file and verifies its hash. @throws UnusableBackup */
export async function checkBackup(
  file: string,
): Promise<{ readonly header: BackupHeader; readonly trailer: BackupTrailer }> {
  let header: BackupHeader | null = null;
  let trailer: BackupTrailer | null = null;
  for await (const part of readBackup(file)) {
    if (part.kind === "header") header = part.header;
    if (part.kind === "trailer") trailer = part.trailer;
  }
  if (header === null || trailer === null) throw new UnusableBackup(`${file} was cut off`);
  return { header, trailer };
}
