import type { Options } from "csv-parse/sync";

export type Delimiter = "," | "\t" | ";" | "|" | " ";

/**
 * How a file writes its rows. The delimiter `" "` means runs of blanks and tabs. FDSN text has no
 * quoting (FDSN Event Web Service 1.2, "text output format"): `"` is an ordinary character there.
 */
export type Dialect = { readonly delimiter: Delimiter; readonly quoting: boolean };

/** csv-parse makes an empty field of two blanks in a row; only a quoted empty field is one. */
const BETWEEN_BLANKS: Options = {
  delimiter: [" ", "\t"],
  cast: (value, { quoting }) => (value === "" && !quoting ? null : value),
};

/**
 * csv-parse options for a dialect. Blanks around unquoted fields are dropped, blanks inside quotes
 * kept.
 */
export function csvOptions({ delimiter, quoting }: Dialect): Options {
  return {
    quote: quoting ? '"' : null,
    record_delimiter: ["\r\n", "\n", "\r"],
    comment: "#",
    comment_no_infix: true,
    skip_empty_lines: true,
    relax_column_count: true,
    ...(delimiter === " " ? BETWEEN_BLANKS : { delimiter, trim: true }),
  };
}
