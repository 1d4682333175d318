import { hasChromium } from "./chromium.ts";
import { hasOgr, hasPython, hasXmllint } from "./clients/python.ts";
import { hasKafka } from "./kafka/kafka-server.ts";

/** Says once, in one line, which clients are not there: their tests are skipped. */
export function setup(): void {
  const missing = [
    ...(hasPython ? [] : ["ObsPy, libcomcat, pyCSEP and schemathesis (.ci/run installs them)"]),
    ...(hasKafka ? [] : ["Kafka and a JDK (.ci/run installs them)"]),
    ...(hasOgr ? [] : ["GDAL (Debian: gdal-bin)"]),
    ...(hasChromium ? [] : ["Chromium (Debian: chromium-headless-shell)"]),
    ...(hasXmllint ? [] : ["xmllint (Debian: libxml2-utils)"]),
  ];
  if (missing.length === 0) return;
  process.stderr.write(`Skipped, because it is not here: ${missing.join("; ")}\n`);
}
