import { createHash, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { createNonces } from "#services/gateway/authentication.ts";
import { basic, type MadeToken, newAccessToken } from "../../support/api/access-tokens.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { type RawAnswer, rawGet } from "../../support/api/raw-request.ts";
import { sharedService, useService } from "../../support/service.ts";
import { TEST_SECRET } from "../../support/start-test-service.ts";

const PUBLIC_BASE_URL = "http://catalogues.example.org/below";
const whole = sharedService();
const service = useService({ ROLES: "gateway", PUBLIC_BASE_URL }, { copyOf: whole });

const REALM = "earthquake catalogues";
const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const get = (path: string, authorization?: string, headers: Record<string, string> = {}) =>
  rawGet(service.url, path, { ...(authorization && { authorization }), ...headers });

let token: MadeToken;
let catalogue: string;
let internal: string;
let version: string;

beforeAll(async () => {
  const editor = await whole.loginAs("editor");
  token = await newAccessToken(editor);
  catalogue = (await createCatalogue(editor)).id;
  internal = `/api/catalogues/${catalogue}/fdsnws/event/1`;
  version = `/api/catalogues/${catalogue}/versions/1/fdsnws/event/1`;
});

type Given = {
  readonly path: string;
  readonly nonce?: string;
  readonly user?: string;
  readonly secret?: string;
  readonly uri?: string;
  readonly realm?: string;
};

/** An answer to a challenge, as clients make it (RFC 7616, section 3.4). */
function answered(given: Given): string {
  const { path, nonce = createNonces(TEST_SECRET).next(), uri = path, realm = REALM } = given;
  const { user = token.id, secret = token.secret } = given;
  const ha1 = md5(`${user}:${realm}:${secret}`);
  const response = md5(`${ha1}:${nonce}:00000001:abc:auth:${md5(`GET:${uri}`)}`);
  const parts = { username: user, realm, nonce, uri, cnonce: "abc", response, algorithm: "MD5" };
  const quoted = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return `Digest ${quoted.join(", ")}, qop=auth, nc=00000001`;
}

function challengesOf(answer: RawAnswer): string[] {
  return (answer.headers["www-authenticate"] ?? "").toString().split(/, (?=Basic )/);
}

describe("without credentials", () => {
  test("the event service asks for Digest, then for Basic, each in a line of its own", async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET ${internal}/query HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const text = Buffer.concat(await socket.toArray()).toString();
    const lines = text.split("\r\n").filter((line) => /^www-authenticate:/i.test(line));
    expect(text).toContain("Error 401: Unauthorized");
    expect(lines).toEqual([
      expect.stringMatching(/: Digest realm="[^"]+", qop="auth", algorithm=MD5, nonce="[^"]+"$/),
      expect.stringMatching(/: Basic realm="[^"]+", charset="UTF-8"$/),
    ]);
  });

  test("a catalogue that is not there is asked for like an internal one", async () => {
    for (const way of [
      "query",
      "count?format=text",
      "catalogs",
      "contributors",
      "version",
      "application.wadl",
    ]) {
      for (const base of [internal, `/api/catalogues/${randomUUID()}/fdsnws/event/1`]) {
        const answer = await get(`${base}/${way}`);
        expect(answer.status, way).toBe(401);
        expect(challengesOf(answer)).toEqual([
          expect.stringMatching(/^Digest /),
          expect.stringMatching(/^Basic /),
        ]);
      }
    }
  });

  test("at the root, too, an id of no catalogue is asked for like that of an internal one", async () => {
    for (const id of [catalogue, randomUUID()]) {
      const answer = await get(`/fdsnws/event/1/query?catalog=${id}`);
      expect(answer.status).toBe(401);
      expect(challengesOf(answer)).toHaveLength(2);
    }
    expect((await get("/fdsnws/event/1/query?catalog=Nobody%27s")).status).toBe(404);
    const path = `/fdsnws/event/1/query?catalog=${randomUUID()}`;
    expect((await get(path, basic(token.secret))).status).toBe(404);
  });

  test("a person is told where to sign in; elsewhere browsers open no dialog", async () => {
    const person = { accept: "text/html,application/xhtml+xml" };
    const facade = await get(`${internal}/query`, undefined, person);
    expect(facade.text).toContain(`Sign in at ${PUBLIC_BASE_URL}/login`);
    const other = await get(`/api/catalogues/${catalogue}/events`, undefined, person);
    expect(other.status).toBe(401);
    expect(other.text).toContain(`Sign in at ${PUBLIC_BASE_URL}/login`);
    expect(other.headers["www-authenticate"]).toBe("Bearer");
    const program = await get(`${internal}/query`);
    const inJson = await get(`${internal}/query?format=geojson&jsonerror=true`);
    expect([inJson.status, JSON.parse(inJson.text).metadata.status]).toEqual([401, 401]);
    expect(program.text).not.toContain("/login");
    expect(program.text).toContain("Authentication required: an access token's id and secret");
  });
});

describe("by Digest", () => {
  const read = (
    given: Omit<Given, "path">,
    path = `${internal}/query?format=text&minmagnitude=7`,
  ) => get(path, answered({ path, ...given }));

  test("a challenge is answered and the catalogue read, by the token's id and secret", async () => {
    const path = `${internal}/query?format=text`;
    const challenge = challengesOf(await get(path))[0] ?? "";
    const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? "";
    const answer = await get(path, answered({ path, nonce }));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("2016-11-13T11:02:56");
  });

  test("every address of the service is read", async () => {
    const path = `/fdsnws/event/1/query?catalog=${catalogue}&format=text`;
    for (const way of [`${internal}/version`, `${version}/query`, `${internal}//query`, path]) {
      expect((await read({}, way)).status, way).toBe(200);
    }
  });

  test("the address may be the one that a proxy shows", async () => {
    const path = `${internal}/count`;
    expect((await read({ uri: `/below${path}` }, path)).status).toBe(200);
  });

  test("an answer for another address is refused", async () => {
    for (const uri of [`${internal}/count`, `${internal}/query?format=text`, "/", ""]) {
      expect((await read({ uri })).status).toBe(400);
    }
  });

  test("a nonce that is too old is replaced, without asking the user again", async () => {
    const old = createNonces(TEST_SECRET, () => Date.now() - 3_600_000).next();
    const answer = await read({ nonce: old });
    expect(answer.status).toBe(401);
    expect(challengesOf(answer)[0]).toMatch(/, stale=true$/);
    const nonce = /nonce="([^"]+)"/.exec(challengesOf(answer)[0] ?? "")?.[1] ?? "";
    expect((await read({ nonce })).status).toBe(200);
  });

  test("a wrong secret, name or realm is refused", async () => {
    for (const given of [
      { secret: "eqc_wrong" },
      { secret: "eqc_wrong", nonce: "x" },
      { user: randomUUID() },
      { user: "admin@example.org" },
      { realm: "elsewhere" },
    ]) {
      const answer = await read(given);
      expect(answer.status, JSON.stringify(given)).toBe(401);
      expect(challengesOf(answer)[0]).not.toContain("stale");
      expect(answer.text).toContain("not known");
    }
  });

  test("an ended token is refused, and said to be ended", async () => {
    const editor = await whole.loginAs("editor");
    const { id, secret } = await newAccessToken(editor);
    expect((await read({ user: id, secret })).status).toBe(200);
    await editor.send("DELETE", `/api/tokens/${id}`);
    const answer = await read({ user: id, secret });
    expect(answer.status).toBe(401);
    expect(answer.text).toContain("ended");
  });

  test("nothing but the event service is read", async () => {
    const path = `/api/catalogues/${catalogue}/events`;
    const answer = await get(path, answered({ path }));
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });
});

describe("by Basic", () => {
  test("the event service is read too, and refused with both challenges", async () => {
    expect((await get(`${internal}/query`, basic(token.secret))).status).toBe(200);
    const answer = await get(`${internal}/query`, basic("eqc_wrong"));
    expect(answer.status).toBe(401);
    expect(challengesOf(answer)).toHaveLength(2);
  });

  test("a password that is no token's is none of ours: a proxy may ask for it", async () => {
    expect((await get("/api/catalogues", basic("a proxy's password"))).status).toBe(200);
    expect((await get(`${internal}/query`, basic("a proxy's password"))).status).toBe(401);
  });
});
