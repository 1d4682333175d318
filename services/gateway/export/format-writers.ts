import type { ExportFormat } from "#contracts/http/catalogue-export.ts";
import { createCsvWriter } from "#infra/formats/delimited/csv-writer.ts";
import { createFdsnTextWriter } from "#infra/formats/delimited/fdsn-text-writer.ts";
import type { CreateFormatWriter } from "#infra/formats/format-writer.ts";
import { createGeojsonWriter } from "#infra/formats/geojson/geojson-writer.ts";
import { createJsonWriter } from "#infra/formats/json/json-writer.ts";
import { createKmlWriter } from "#infra/formats/kml/kml-writer.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/quakeml-writer.ts";

export const FORMAT_WRITERS: Readonly<Record<ExportFormat, CreateFormatWriter>> = {
  csv: createCsvWriter,
  json: createJsonWriter,
  geojson: createGeojsonWriter,
  kml: createKmlWriter,
  quakeml: createQuakemlWriter,
  text: createFdsnTextWriter,
};
