/**
 * `npm run demo:clients`: clients of the field, unchanged, on the service. Starts it in a temporary
 * directory with the earthquakes that `npm run demo` shows, and prints what each client says first.
 * Exits with 1 when a client fails; those that are not installed are named.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../support/agency/geonet-xml.ts";
import { type MadeToken, newAccessToken } from "../support/api/access-tokens.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { createFromFile } from "../support/api/whole-documents.ts";
import { signIn } from "../support/api-client.ts";
import { hasOgr, hasPython, hasXmllint, spawnPython } from "../support/clients/python.ts";
import { startTlsProxy } from "../support/clients/tls-proxy.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { ADMIN, fileToShow, heading, uploadFile, WITH_ADMIN } from "../support/shown-file.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
/** Of what a client prints, this many lines are shown. */
const SHOWN_LINES = 12;

type Addresses = {
  /** The catalogue's, by HTTP. */
  readonly base: string;
  /** That of a catalogue of one event with its bulletin. */
  readonly whole: string;
  readonly id: string;
  /** That of a catalogue which its members alone may read, and a token by which scripts do. */
  readonly closed: { readonly base: string; readonly token: MadeToken };
  /** Host and path of the catalogue by HTTPS, and the certificate to trust. */
  readonly secure: { readonly host: string; readonly certificate: string };
};

type Client = {
  readonly name: string;
  /** What a user writes. */
  readonly line: string;
  readonly isHere: boolean;
  readonly ask: () => Promise<string>;
};

async function python(script: string, args: readonly string[], env = {}): Promise<string> {
  const path = join(import.meta.dirname, script);
  return (await spawnPython("python", [path, ...args], { env }).output).stdout;
}

/** Of a catalogue that needs a token; its secret is not shown. */
function clientsByToken({ base, token: { id, secret } }: Addresses["closed"]): Client[] {
  const table = `${base}/export?format=geojson`;
  const query = `${base}/fdsnws/event/1/query?format=text&limit=5`;
  return [
    {
      name: "ObsPy and pandas, of a restricted catalogue",
      line: `Client("${base}", user="${id}", password="eqc_…")`,
      isHere: hasPython,
      ask: () => python("token_demo.py", [base, id, secret]),
    },
    {
      name: "GDAL, of a restricted catalogue",
      line: `GDAL_HTTP_AUTH=BASIC GDAL_HTTP_USERPWD=script:eqc_… ogrinfo -al -so "${table}"`,
      isHere: hasOgr,
      ask: async () => {
        const basic = { GDAL_HTTP_AUTH: "BASIC", GDAL_HTTP_USERPWD: `script:${secret}` };
        const env = { ...process.env, ...basic };
        return (await run("ogrinfo", ["-ro", "-al", "-so", table], { env })).stdout;
      },
    },
    {
      name: "curl, of a restricted catalogue",
      line: `curl -H "Authorization: Bearer eqc_…" '${query}'`,
      isHere: true,
      ask: async () =>
        (await fetch(query, { headers: { authorization: `Bearer ${secret}` } })).text(),
    },
  ];
}

function clientsOf({ base, whole, id, closed, secure }: Addresses): Client[] {
  const trusted = { REQUESTS_CA_BUNDLE: secure.certificate, SSL_CERT_FILE: secure.certificate };
  const oapif = `OAPIF:https://${new URL(`https://${secure.host}`).host}/api/ogc`;
  const query = `${base}/fdsnws/event/1/query`;
  return [
    {
      name: "ObsPy",
      line: `Client("${base}").get_events(orderby="magnitude", limit=5)`,
      isHere: hasPython,
      ask: () => python("obspy_demo.py", [base]),
    },
    {
      name: "ObsPy, of an event with its bulletin",
      line: `Client("${whole}").get_events(limit=1, includearrivals=True)`,
      isHere: hasPython,
      ask: () => python("arrivals_demo.py", [whole]),
    },
    {
      name: "libcomcat and pyCSEP",
      line: `search(…, host="${secure.host}")`,
      isHere: hasPython,
      ask: () => python("comcat_demo.py", [secure.host], trusted),
    },
    {
      name: "seisplotjs",
      line: `new EventQuery("${base.replace("http://", "")}").minLat(-90).orderBy("magnitude").limit(5).query()`,
      isHere: true,
      ask: async () => {
        const { seisplotjs } = await import("../support/clients/seisplotjs.ts");
        const quakes = await new seisplotjs.fdsnevent.EventQuery(base.replace("http://", ""))
          .minLat(-90)
          .orderBy("magnitude")
          .limit(5)
          .query();
        return quakes.map((quake) => `${quake}`).join("\n");
      },
    },
    {
      name: "GDAL and QGIS",
      line: `ogrinfo ${oapif} ${id}`,
      isHere: hasOgr,
      ask: async () =>
        (
          await run("ogrinfo", ["-ro", "-so", oapif, id], {
            env: { ...process.env, CURL_CA_BUNDLE: secure.certificate },
          })
        ).stdout,
    },
    {
      name: "xmllint",
      line: `curl '${query}?limit=1' | xmllint --format -`,
      isHere: hasXmllint,
      ask: async () => {
        const ended = run("xmllint", ["--nonet", "--format", "-"]);
        ended.child.stdin?.end(await (await fetch(`${query}?limit=1`)).text());
        return (await ended).stdout;
      },
    },
    {
      name: "curl",
      line: `curl '${query}?format=text&orderby=magnitude&limit=5'`,
      isHere: true,
      ask: async () => (await fetch(`${query}?format=text&orderby=magnitude&limit=5`)).text(),
    },
    ...clientsByToken(closed),
  ];
}

async function main(): Promise<void> {
  const directory = await createTemporaryDirectory();
  const proxy = await startTlsProxy();
  const port = await freePort();
  const service = await startServiceProcess({
    DATA_DIR: directory.path,
    PORT: String(port),
    // libcomcat and pyCSEP speak HTTPS alone, and GDAL follows links.
    PUBLIC_BASE_URL: proxy.url,
    ...WITH_ADMIN,
  });
  try {
    proxy.forwardTo(service.url);
    const client = await signIn(service.url, ADMIN);
    const file = await fileToShow();
    const { data: events } = await uploadFile(client, file);
    const form = { name: "New Zealand", is_public: true, events };
    const { id, event_count } = await createCatalogue(client, form);
    console.log(`${event_count} events of ${file}`);
    const whole = await createFromFile(client, wholeEvent());
    const closed = await createCatalogue(client, {
      name: "Restricted",
      access: "restricted",
      events,
    });
    const path = `/api/catalogues/${id}`;
    await askAll({
      base: service.url + path,
      whole: `${service.url}/api/catalogues/${whole.id}`,
      id,
      closed: {
        base: `${service.url}/api/catalogues/${closed.id}`,
        token: await newAccessToken(client),
      },
      secure: { host: proxy.url.replace("https://", "") + path, certificate: proxy.certificate },
    });
  } finally {
    await service.stop();
    await proxy.close();
    await directory.remove();
  }
}

/** An event as GeoNet writes one, with ten picks. */
function wholeEvent(): string {
  const [event = ""] = [...servedEvents(1, 1)].map((served) => writeXml(served, 10));
  return XML_HEAD + event + XML_TAIL;
}

async function askAll(addresses: Addresses): Promise<void> {
  const skipped: string[] = [];
  const failed: string[] = [];
  for (const { name, line, isHere, ask } of clientsOf(addresses)) {
    if (!isHere) {
      skipped.push(name);
      continue;
    }
    heading(`${name}: ${line}`);
    try {
      const lines = (await ask()).trimEnd().split("\n");
      if (lines.join("") === "") throw new Error("it found nothing");
      console.log(lines.slice(0, SHOWN_LINES).join("\n"));
    } catch (error) {
      failed.push(name);
      console.log(error);
    }
  }
  const every = skipped.length === 0 ? "Every client" : "Every client that is installed";
  heading(failed.length === 0 ? `${every} could read it` : `Failed: ${failed.join(", ")}`);
  if (skipped.length > 0) {
    console.log(`Not installed: ${skipped.join(", ")}. CONTRIBUTING.md says how to install them.`);
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
}

await main();
// seisplotjs leaves a timer that never ends.
process.exit();
