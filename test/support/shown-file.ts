import { access, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { UploadResult } from "#contracts/http/uploads.ts";
import { fileForm } from "./api/file-form.ts";
import type { ApiClient } from "./api-client.ts";

export const ADMIN = { email: "demo@example.org", password: "only for the demonstration" };
/** What gives a new service this administrator. */
export const WITH_ADMIN = {
  CREATE_ADMIN_USER: "true",
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
};

const REAL_DATA_DIR = process.env["REAL_DATA_DIR"] ?? "../shared/data";
const REAL_FILE = join(REAL_DATA_DIR, "csv/geonet_quakesearch_1980-2022.csv");
const FIXTURE = new URL("../fixtures/cook-strait.csv", import.meta.url).pathname;

/** GeoNet's earthquakes, where they are beside the project; else a small fixture. */
export async function fileToShow(): Promise<string> {
  const file = await access(REAL_FILE).then(
    () => REAL_FILE,
    () => FIXTURE,
  );
  return resolve(file);
}

export async function uploadFile(client: ApiClient, file: string): Promise<UploadResult> {
  const form = fileForm(new Uint8Array(await readFile(file)), { fileName: basename(file) });
  const { body } = await client.send<UploadResult>("POST", "/api/upload", form);
  return body;
}

export function heading(text: string): void {
  console.log(`\n== ${text}`);
}
