import { createPasswords } from "#infra/vault/password-hash.ts";
import { createApiClient } from "../../support/api-client.ts";
import type { BenchService } from "../../support/bench-service.ts";
import { openPosting, type Posting } from "../asking.ts";
import { beside, compareBetween, eitherWay, inTurn, type Result, secondsOf } from "../measure.ts";

const AT_ONCE = 16;
/** Until V8 has compiled what an account takes. */
const WARM_UPS = 2;
const TARGET = 1.5;
const PASSWORD = "only for the benchmark";

/**
 * Registering accounts and signing in to each, against the bare hashing: the same library and cost, one
 * hash and one verification for each account, as many at once.
 */
export async function benchAccounts(
  { url }: Pick<BenchService, "url">,
  count: number,
  repetitions: number,
): Promise<Result> {
  const guest = openPosting(url, AT_ONCE);
  const passwords = createPasswords();
  let round = 0;
  const ours = (): Promise<void> => {
    round += 1;
    return atOnce(count, (i) => registerAndSignIn(guest, `bench-${round}-${i}@example.org`));
  };
  const yardstick = (): Promise<void> =>
    atOnce(count, async () => {
      const hash = await passwords.hash(PASSWORD);
      if (!(await passwords.verify(hash, PASSWORD))) throw new Error("a hash does not match");
    });
  const comparison = await compareBetween(repetitions, ours, yardstick, WARM_UPS);
  guest.close();
  return beside(
    ["registering and signing in", `${count} accounts, ${AT_ONCE} at once`, "s"],
    ["bare Argon2id", TARGET],
    comparison,
  );
}

async function registerAndSignIn({ post }: Posting, email: string): Promise<void> {
  const registered = await post("/api/auth/register", { name: "Bench", email, password: PASSWORD });
  if (registered !== 201) throw new Error(`registering answered ${registered}`);
  const signedIn = await post("/api/auth/login", { email, password: PASSWORD });
  if (signedIn !== 200) throw new Error(`signing in answered ${signedIn}`);
}

async function atOnce(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Issue of the accounts: known and unknown addresses within 10 % of the median. */
const LOGIN_TIMING_TARGET = 1.1;

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
  const comparison = await inTurn(
    tries,
    0,
    () => milliseconds(knownEmail),
    (i) => milliseconds(`nobody-${i}@example.org`),
  );
  return beside(
    [`POST ${path}, known address`, `${tries} tries`, "ms"],
    ["unknown address", LOGIN_TIMING_TARGET],
    eitherWay(comparison),
  );
}
