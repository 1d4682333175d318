import { createDatabase } from "#infra/postgres/pool.ts";
import { emailHmac } from "#infra/security/personal-data.ts";
import { issueResetToken, RESET_MS } from "#infra/security/vault/reset-tokens.ts";
import { emailKey } from "#infra/security/vault/secrets.ts";
import { findAccountByEmail } from "#projections/queries/accounts/user-queries.ts";
import { normaliseEmail } from "#services/domain/account/account-fields.ts";
import { type CliCommand, type CommandTools, readArguments, UsageError } from "./command.ts";

/** What whoever runs the service may do to accounts without signing in. */
export const adminCommand: CliCommand = {
  usage: "npm run admin -- reset-password EMAIL",
  parse(args) {
    const [action, email, ...more] = readArguments(args, {}, true).positionals;
    if (action !== "reset-password" || email === undefined || more.length > 0) {
      throw new UsageError("Name an action and the address of an account");
    }
    return (tools) => printResetLink(tools, email);
  },
};

/** As a mail has it, for an administrator whom no mail reaches. */
async function printResetLink(tools: CommandTools, email: string): Promise<0 | 1> {
  const { databaseUrl, logger, publicBaseUrl, write, say } = tools;
  const pool = await createDatabase(databaseUrl, { applicationName: "command", log: logger });
  try {
    const hmac = emailHmac(await emailKey(pool), normaliseEmail(email));
    const account = await findAccountByEmail(pool, hmac);
    const token = account && (await issueResetToken(pool, account.id, new Date(), RESET_MS));
    if (!token) {
      say("There is no account with this address");
      return 1;
    }
    await write(`${publicBaseUrl}/reset-password?token=${token}`);
    say("The link works once, within an hour");
    return 0;
  } finally {
    await pool.end();
  }
}
