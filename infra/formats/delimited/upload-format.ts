import type { UploadFormat } from "../format-reader.ts";
import type { Delimiter } from "./dialect.ts";

/**
 * Which of the two formats of the contract (§7) a delimited file is: `csv` for commas and semicolons,
 * `txt` for pipes (FDSN text) and blanks (ZMAP). Tabs are `csv` with a header, unless the file's
 * extension says that it is a text or a tab-separated one.
 */
export function delimitedFormat(
  delimiter: Delimiter,
  hasHeader: boolean,
  extension: string,
): UploadFormat {
  switch (delimiter) {
    case ",":
    case ";":
      return "csv";
    case "|":
    case " ":
      return "txt";
    case "\t":
      return hasHeader && !/^\.?(?:txt|dat|tsv|tab)$/i.test(extension) ? "csv" : "txt";
    default: {
      const unknown: never = delimiter;
      throw new Error(`unknown delimiter: ${unknown}`);
    }
  }
}
