import { type NamedColumns, NO_NAMED_COLUMNS } from "#contracts/seismic-event/named-columns.ts";
import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { inOneStep } from "../../kernel/steps.ts";
import { createFileSense, type FileReading } from "../file-sense.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { callbackLength } from "./callback.ts";
import { createElementReader } from "./element-reader.ts";
import { createElementScanner } from "./element-scanner.ts";
import { parseElement } from "./parse-element.ts";

/** Longer than what stands before the first bracket of any text that this reader is for. */
const MAX_HEAD = 256;

/**
 * Reads events as JSON and GeoJSON, one at a time: from a list, from the lists `events`, `features`
 * and `catalog` of an object (our own exports, USGS, EMSC, CSEP), and from one or more separate
 * objects. Names are interpreted as in `POST /api/catalogues`; rows have canonical names.
 * @param columns what members are, by their own or their canonical names
 */
export function createJsonReader(
  sink: RowSink,
  columns: NamedColumns = NO_NAMED_COLUMNS,
  reading: FileReading = {},
): FormatReader {
  const sense = createFileSense(reading);
  const elements = createElementReader(sink, columns, sense);
  let isGeojson = false;
  let isEmpty = true;
  let hasList = false;
  const scanner = createElementScanner({
    element(text, line, place) {
      isEmpty = false;
      elements.read(text, line, place);
    },
    list(name, before, line) {
      isEmpty = false;
      hasList = true;
      if (name === "features") isGeojson = true;
      if (before !== null) warnOfProjection(before, (message) => sink.warning(line, message));
    },
    error(line, message) {
      isEmpty = false;
      sink.error(line, message);
    },
    warning: sink.warning,
  });

  const script = throughCall(scanner);

  return {
    write: script.write,
    end: () =>
      inOneStep(() => {
        script.end();
        if (isEmpty) sink.error(1, "holds no events");
        if (elements.lacksMagnitude()) {
          sink.warning(
            1,
            "No member is recognised as magnitude; it is null, not known, in all rows",
          );
        }
        const again = sense.decision();
        return {
          ...elements.names(),
          format: isGeojson || elements.hasFeatures() ? "geojson" : "json",
          isCatalogue: hasList,
          ...(again && { again }),
        };
      }),
  };
}

/** A script's call is looked through, once its first bracket is there. */
function throughCall(scanner: ReturnType<typeof createElementScanner>) {
  /** The text before the first bracket; null once that was there. */
  let head: string | null = "";

  function begin(text: string, isLast: boolean): void {
    head = text;
    if (!isLast && text.length < MAX_HEAD && !/[{[]/.test(text)) return;
    head = null;
    const length = callbackLength(text);
    if (length > 0) scanner.unwrap();
    scanner.write(text.slice(0, length).replaceAll(/[^\n]/g, "") + text.slice(length));
  }

  return {
    write(text: string): void {
      if (head === null) scanner.write(text);
      else begin(head + text, false);
    },
    end(): void {
      if (head !== null) begin(head, true);
      scanner.end();
    },
  };
}

/** RFC 7946 allows only longitude and latitude in WGS 84; older files may use other coordinates. */
function warnOfProjection(head: string, warn: (message: string) => void): void {
  if (!head.includes('"crs"')) return;
  const element = parseElement(`${head}[]}`);
  const crs = element.ok && isJsonObject(element.value) ? (element.value["crs"] ?? null) : null;
  const text = JSON.stringify(crs);
  if (crs !== null && !/CRS84|4326|4979/.test(text)) {
    warn(
      `crs is ${text.slice(0, 100)}: coordinates are read as longitude and latitude all the same`,
    );
  }
}
