import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillingUpload } from "../support/api/file-form.ts";
import { signIn } from "../support/api-client.ts";
import { createPreparedDataDir } from "../support/prepared-data-dir.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";

const run = promisify(execFile);
const ADMIN = { email: "disk@example.org", password: "only for the full disk" };

let directory: { path: string; remove: () => Promise<void> };
let service: ServiceProcess;
beforeAll(async () => {
  directory = await createPreparedDataDir();
  service = await startServiceProcess({
    DATA_DIR: directory.path,
    CREATE_ADMIN_USER: "true",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  });
});
afterAll(async () => {
  await service.stop();
  await directory.remove();
});

/** The most bytes that a file of the service may have. */
const limitFiles = (bytes: number | "unlimited") =>
  run("prlimit", [`--pid=${service.pid}`, `--fsize=${bytes}:`]);

// The limit of 64 KiB lets a part of a write through, as a disk does that is almost full.
test.each([0, 64 * 1024])(
  "an upload that does not fit on the disk is refused whole, and taken when there is room again: %d bytes",
  async (bytes) => {
    const client = await signIn(service.url, ADMIN);
    await limitFiles(bytes);
    const refused = await client.send("POST", "/api/upload", fillingUpload());
    await limitFiles("unlimited");
    expect(refused.status).toBe(500);
    const taken = await client.send<{ rowCount: number }>("POST", "/api/upload", fillingUpload());
    expect(taken.status).toBe(200);
    expect(taken.body.rowCount).toBe(20_000);
  },
);
