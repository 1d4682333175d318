import { Cql2Fault } from "./cql2-fault.ts";
import { type Token, tokensOf } from "./tokens.ts";

export type TokenReader = ReturnType<typeof tokenReader>;

/** Reads tokens one after the other. Words count without case. @throws Cql2Fault */
export function tokenReader(text: string) {
  const tokens = tokensOf(text);
  let place = 0;
  const END: Token = { kind: "end", text: "", at: text.length + 1 };
  const peek = (further = 0): Token => tokens[place + further] ?? END;
  const isSymbol = (symbol: string, further = 0) =>
    peek(further).kind === "symbol" && peek(further).text === symbol;
  const isWord = (word: string, further = 0) =>
    peek(further).kind === "name" && peek(further).text.toUpperCase() === word;
  const next = (): Token => {
    const token = peek();
    place += 1;
    return token;
  };
  const take = (isNext: boolean): boolean => {
    if (isNext) place += 1;
    return isNext;
  };
  return {
    peek,
    next,
    isSymbol,
    isWord,
    takeSymbol: (symbol: string) => take(isSymbol(symbol)),
    takeWord: (word: string) => take(isWord(word)),
    require(symbol: string): void {
      if (!take(isSymbol(symbol))) throw unexpected(peek(), `"${symbol}"`);
    },
    requireWord(word: string): void {
      if (!take(isWord(word))) throw unexpected(peek(), word);
    },
  };
}

export function unexpected({ kind, text, at }: Token, expected: string): Cql2Fault {
  const found = kind === "end" ? "the end" : `"${text}"`;
  return new Cql2Fault(`${expected} is expected, not ${found}`, at);
}
