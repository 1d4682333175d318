import { describe, expect, test } from "vitest";
import type { ApiAnswer } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const MIB = 1024 * 1024;
const service = useService({ MAX_UPLOAD_MB: "1" });

type Answer = ApiAnswer<{ headers: string[]; rowCount: number }>;

async function upload(content: string, fileName?: string): Promise<Answer> {
  const client = await service.loginAs("editor");
  return client.send("POST", "/api/upload", fileForm(content, fileName ? { fileName } : {}));
}

/** A file of so many columns beside the first, whose names have so many characters, and empty rows. */
function sparse(columns: number, length: number, rows: number): string {
  const names = Array.from({ length: columns }, (_, i) => `${i}_`.padEnd(length, "n"));
  return `time,${names.join(",")}\n${`2020-01-01${",".repeat(columns)}\n`.repeat(rows)}`;
}

describe("the columns of a file", () => {
  test("the columns of a file are 1,000 at most", async () => {
    expect((await upload(sparse(999, 8, 1))).body.headers).toHaveLength(1000);
    expectRefusal(await upload(sparse(1000, 8, 1)), "UNSUPPORTED_FORMAT", "1001 columns");
  });

  test("the columns of a file are 1,000 at most where there is no header", async () => {
    const row = (cells: number) => `2020-01-01${",1".repeat(cells - 1)}\n`;
    expect((await upload(row(1000).repeat(3))).body.headers).toHaveLength(1000);
    expectRefusal(await upload(row(1001).repeat(3)), "UNSUPPORTED_FORMAT", "1001 columns");
  });

  test("the columns of a file have names of 256 characters at most", async () => {
    expect((await upload(sparse(3, 256, 1))).status).toBe(200);
    expectRefusal(await upload(sparse(3, 257, 1)), "UNSUPPORTED_FORMAT", "256 characters");
  });
});

describe("the rows of a file, however small it is,", () => {
  const bytesOfRow = JSON.stringify({ time: "2020-01-01" }).length + 900 * (250 + 8);

  test("the rows of a file, however small it is, come to ten times the largest file at most", async () => {
    const fitting = Math.floor((9.5 * MIB) / bytesOfRow);
    expect((await upload(sparse(900, 250, fitting))).body.rowCount).toBe(fitting);
    const beyond = Math.ceil((10.5 * MIB) / bytesOfRow);
    const refused = await upload(sparse(900, 250, beyond));
    expectRefusal(refused, "FILE_TOO_LARGE", "larger than 10 MiB as JSON");
    expect(refused.status).toBe(413);
  });

  test("the rows of a file, however small it is, are refused when a piece of the file holds a thousand times more", async () => {
    expectRefusal(await upload(sparse(999, 256, 500)), "FILE_TOO_LARGE", "10 MiB");
  });
});
