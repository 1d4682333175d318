import type { AnswerOf } from "../../model/operation-types.ts";
import { counted } from "../../ui/text/format.ts";

type GivenOut = Pick<AnswerOf<"POST /api/auth/change-password">, "tokensEnded" | "shares">;

/** What an account had given out, in sentences; empty where nothing. */
export function givenOutInWords({ tokensEnded = 0, shares = [] }: GivenOut): string {
  const names = [...new Set(shares.map(({ catalogue_name: name }) => `“${name}”`))];
  return [
    ...(tokensEnded > 0 ? [`${counted(tokensEnded, "access token")} ended.`] : []),
    ...(shares.length > 0
      ? [
          `${counted(shares.length, "share")} made by you can still be read: of ${names.join(", ")}.`,
        ]
      : []),
  ].join(" ");
}
