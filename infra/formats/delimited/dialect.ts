import type { Options } from "csv-parse/sync";

export type Delimiter = "," | "\t" | ";" | "|" | " ";

/**
 * How the rows of a file are written. The delimiter `" "` stands for runs of blanks and tabs.
 * FDSN text knows no quotes (FDSN Event Web Service 1.2, "text output format"): a `"` in it is a
 * character like others.
 */
export type Dialect = { readonly delimiter: Delimiter; readonly quoting: boolean };

/** csv-parse sees an empty field between two blanks; only one in quotes is meant. */
const BETWEEN_BLANKS: Options = {
  delimiter: [" ", "\t"],
  cast: (value, { quoting }) => (value === "" && !quoting ? null : value),
};

/** How csv-parse reads a dialect. Blanks around unquoted fields are left out, those in quotes are kept. */
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
