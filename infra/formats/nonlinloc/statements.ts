import { numberOfText, type TextLine } from "../fixed-columns.ts";

/** A line of a hypocentre: a keyword, and what comes after it, also as words. */
export type Statement = {
  readonly line: TextLine;
  readonly keyword: string;
  readonly text: string;
  readonly words: readonly string[];
};

export type Statements = ReadonlyMap<string, Statement>;

export function statementOf(line: TextLine): Statement {
  const whole = line.text.trim();
  const [keyword = ""] = whole.split(/\s/, 1);
  const text = whole.slice(keyword.length).trim();
  return { line, keyword, text, words: text === "" ? [] : text.split(/\s+/) };
}

/** The texts in quotes of a statement. */
export function quotedIn(statement: Statement | undefined): readonly string[] {
  const matches = statement?.text.matchAll(/"([^"]*)"/g) ?? [];
  return [...matches].map(([, text = ""]) => text);
}

/** The values of a statement by the names before them, `Lat 46.2 Long 7.5 …`. */
export type NamedValues = {
  /**
   * @param places the value is taken times 10^`places`
   * @throws FaultyLine for what is no number
   */
  readonly number: (name: string, places?: number) => number | undefined;
  /** As `number`, but −1 stands for none. */
  readonly known: (name: string, places?: number) => number | undefined;
  readonly text: (name: string) => string | undefined;
};

/** @param from the place of the first name among the words */
export function namedValues(statement: Statement | undefined, from = 0): NamedValues {
  const values = new Map<string, string>();
  const words = statement?.words ?? [];
  for (let i = from; i + 1 < words.length; i += 2) values.set(words[i] ?? "", words[i + 1] ?? "");

  function number(name: string, places = 0): number | undefined {
    const text = values.get(name);
    if (statement === undefined || text === undefined) return undefined;
    return numberOfText(statement.line, text, `${name} is`, places);
  }

  return {
    number,
    known: (name, places) => (number(name) === -1 ? undefined : number(name, places)),
    text: (name) => values.get(name),
  };
}
