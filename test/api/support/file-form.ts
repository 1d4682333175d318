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
