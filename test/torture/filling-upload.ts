import { fileForm } from "../api/support/file-form.ts";

/** More rows than a gateway keeps in memory: it has to write a file. */
const ROWS = 20_000;

/** The form of an upload that needs room on the disk. */
export function fillingUpload(): FormData {
  const row = `2016-11-13T11:02:56.346Z,-42.69,173.02,15.1,7.8,${"somewhere ".repeat(20)}\n`;
  return fileForm(`time,latitude,longitude,depth,magnitude,region\n${row.repeat(ROWS)}`);
}
