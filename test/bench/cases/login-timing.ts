import { createApiClient } from "../../support/api-client.ts";
import type { BenchService } from "../bench-service.ts";
import type { Result } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

/** Issue of the accounts: known and unknown addresses within 10 % of the median. */
const TARGET = 1.1;

/**
 * Time of `path` for a known address against an unknown one, in turn. The ratio is the greater of
 * the medians over the lesser: either way of telling them apart would be a leak.
 */
export async function benchAddressTiming(
  { url, knownEmail }: Pick<BenchService, "url" | "knownEmail">,
  path: "/api/auth/login" | "/api/auth/forgot-password",
  tries: number,
): Promise<Result> {
  const guest = createApiClient(url);
  const milliseconds = async (email: string): Promise<number> => {
    const form = { email, password: "not the password" };
    return 1000 * (await secondsOf(() => guest.send("POST", path, form)));
  };
  const known: number[] = [];
  const unknown: number[] = [];
  for (let i = 0; i < tries; i += 1) {
    known.push(await milliseconds(knownEmail));
    unknown.push(await milliseconds(`nobody-${i}@example.org`));
  }
  const [ours, yardstickFigure] = [spreadOf(known), spreadOf(unknown)];
  const quotient = ours.median / yardstickFigure.median;
  return {
    case: `POST ${path}, known address`,
    size: `${tries} tries`,
    unit: "ms",
    ours,
    yardstick: "unknown address",
    yardstickFigure,
    ratio: Math.max(quotient, 1 / quotient),
    target: TARGET,
  };
}
