import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { useService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";
import { fileForm } from "../support/file-form.ts";
import { expectRefusal } from "../support/refusal.ts";

const MIB = 1024 * 1024;
const service = useService({ MAX_UPLOAD_MB: "1" });
const ROW = "2020-01-01,1,2,3\n";

const fileOf = (bytes: number) =>
  `time,lat,lon,mag\n${ROW.repeat(bytes / ROW.length)}`.slice(0, bytes - 1).padEnd(bytes, "\n");

/** Sends the beginning of an upload, and gives what is answered until the connection closes. */
async function beginUpload(
  token: string,
  head: readonly string[],
  body: string,
): Promise<{ text: () => Promise<string>; end: () => void }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.setEncoding("utf8");
  await once(socket, "connect");
  const lines = ["POST /api/upload HTTP/1.1", "host: x", `authorization: Bearer ${token}`, ...head];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  return {
    text: async () => (await socket.toArray()).join(""),
    end: () => socket.destroy(),
  };
}

const newToken = async () => (await (await newAccount(service, "editor")).signIn()).token;

const FORM = "content-type: multipart/form-data; boundary=xx";
const PART = `--xx\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\ntime,lat,lon\n`;

describe("a file", () => {
  test("a file of exactly MAX_UPLOAD_MB is read", async () => {
    const client = await service.loginAs("editor");
    const answer = await client.send("POST", "/api/upload", fileForm(fileOf(MIB)));
    expect(answer.status).toBe(200);
  });

  test("larger than MAX_UPLOAD_MB is 413, whatever its length says", async () => {
    const client = await service.loginAs("editor");
    const answer = await client.send("POST", "/api/upload", fileForm(fileOf(MIB + 1)));
    expectRefusal(answer, "FILE_TOO_LARGE");
  });

  test("a file that claims 2 GB is 413 before anything of it is read", async () => {
    const upload = await beginUpload(await newToken(), [FORM, "content-length: 2147483648"], PART);
    expect(await upload.text()).toMatch(/^HTTP\/1.1 413 [\s\S]*FILE_TOO_LARGE/);
  });

  test("a file is refused before it is sent, from who may not upload", async () => {
    const viewer = await service.loginAs("viewer");
    const answer = await viewer.send("POST", "/api/upload", fileForm(fileOf(MIB + 1)));
    expectRefusal(answer, "FORBIDDEN");
  });
});

test("uploads that stand still do not hold up others, and going away ends them", async () => {
  const token = await newToken();
  const stalled = await Promise.all(
    Array.from({ length: 40 }, () => beginUpload(token, [FORM, "content-length: 1000"], PART)),
  );
  const client = await service.loginAs("editor");
  const answer = await client.send("POST", "/api/upload", fileForm(fileOf(10_000)));
  expect(answer.status).toBe(200);
  for (const { end } of stalled) end();
  const again = await client.send("POST", "/api/upload", fileForm(fileOf(10_000)));
  expect(again.status).toBe(200);
});
