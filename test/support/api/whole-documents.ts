import type { UploadResult } from "#contracts/http/uploads.ts";
import type { ApiClient } from "../api-client.ts";
import type { CreatedCatalogue } from "./catalogue.ts";
import { fileForm } from "./file-form.ts";

/**
 * A catalogue of the events of a file, whatever its name says; its answer, with the tallies of the elements.
 * @throws Error with the answer when the file is not read or nothing can be made of it
 */
export async function createFromFile(
  client: ApiClient,
  content: string | Uint8Array<ArrayBuffer>,
  fileName = "events.xml",
): Promise<CreatedCatalogue> {
  const form = fileForm(content, { fileName });
  const kept = await client.send<UploadResult>("POST", "/api/upload?keep=true", form);
  if (kept.status !== 200) throw new Error(`${fileName}: ${JSON.stringify(kept.body)}`);
  const { uploadId } = kept.body;
  const made = await client.send<CreatedCatalogue>("POST", "/api/catalogues", {
    name: fileName,
    is_public: true,
    uploadId,
  });
  if (made.status !== 201) throw new Error(`${fileName}: ${JSON.stringify(made.body)}`);
  return made.body;
}

/** A catalogue as QuakeML with its events whole. */
export async function exportWhole(
  client: ApiClient,
  id: string,
  form: "valid" | "given",
): Promise<string> {
  const answer = await client.stream(`/api/catalogues/${id}/export?format=quakeml&form=${form}`);
  if (answer.status !== 200) throw new Error(`exporting answered ${answer.status}`);
  return answer.text();
}
