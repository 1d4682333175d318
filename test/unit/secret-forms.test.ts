import fc from "fast-check";
import { expect, test } from "vitest";
import { secretForms } from "../support/secret-forms.ts";

test("a secret is found in base64 of any text that it stands in", () => {
  const text = fc.string({ unit: "binary" });
  const secret = fc.string({ unit: "binary", minLength: 4 });
  fc.assert(
    fc.property(text, secret, text, (before, within, after) => {
      const whole = Buffer.from(`${before}${within.toWellFormed()}${after}`);
      for (const encoding of ["base64", "base64url"] as const) {
        const encoded = whole.toString(encoding);
        const forms = secretForms(within.toWellFormed());
        expect(forms.some((form) => encoded.includes(form))).toBe(true);
      }
    }),
  );
});
