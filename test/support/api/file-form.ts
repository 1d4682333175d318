export type FileFormOptions = {
  readonly fileName?: string;
  /** The content type that the file is said to have. */
  readonly type?: string;
  /** Fields that come before the file. */
  readonly fields?: Readonly<Record<string, string>>;
};

/** The form of an upload. */
export function fileForm(
  content: string | Uint8Array<ArrayBuffer>,
  { fileName = "events.csv", type = "", fields = {} }: FileFormOptions = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([content], { type }), fileName);
  return form;
}

/** More rows than a gateway keeps in memory: it has to write a file. */
const ROWS = 20_000;

/** The form of an upload that needs room on the disk. */
export function fillingUpload(): FormData {
  const row = `2016-11-13T11:02:56.346Z,-42.69,173.02,15.1,7.8,${"somewhere ".repeat(20)}\n`;
  return fileForm(`time,latitude,longitude,depth,magnitude,region\n${row.repeat(ROWS)}`);
}
