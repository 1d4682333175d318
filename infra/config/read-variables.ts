import { readFileSync } from "node:fs";
import type { z } from "zod";
import { ADMIN_PASSWORD_MIN } from "#contracts/http/accounts/accounts.ts";
import { flag } from "./values.ts";
import { SECRETS, VARIABLE_NAMES, type VariableName, Variables } from "./variables.ts";

/** A problem with one variable; its name followed by `message` is a sentence. */
type ConfigProblem = { readonly variable: string; readonly message: string };

/**
 * The environment is not a valid configuration. The message names all wrong variables, no values.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const sentences = problems.map(({ variable, message }) => `${variable} ${message}`);
    super(`The configuration is not valid: ${sentences.join("; ")}`);
    this.problems = problems;
  }
}

/** The variables as text, without empty ones. */
type RawVariables = Readonly<Partial<Record<VariableName, string>>>;

/** Only embedded mode makes a secret and an address by itself; only a gateway needs the secret. */
function databaseProblems(raw: RawVariables, isGateway: boolean): ConfigProblem[] {
  if (!raw.DATABASE_URL) return [];
  const required = isGateway
    ? (["JWT_SECRET", "PUBLIC_BASE_URL"] as const)
    : (["PUBLIC_BASE_URL"] as const);
  return required
    .filter((variable) => !raw[variable])
    .map((variable) => ({ variable, message: "is required when DATABASE_URL is set" }));
}

/** The first administrator (`contracts/docs/accounts.md`). */
function adminProblems(raw: RawVariables, createAdmin: boolean): ConfigProblem[] {
  if (!createAdmin) return [];
  const problems: ConfigProblem[] = [];
  if (!/^[^\s@]+@[^\s@]+$/.test(raw.ADMIN_EMAIL ?? "")) {
    problems.push({
      variable: "ADMIN_EMAIL",
      message: "must be an email address when CREATE_ADMIN_USER is true",
    });
  }
  if ((raw.ADMIN_PASSWORD ?? "").length < ADMIN_PASSWORD_MIN) {
    problems.push({
      variable: "ADMIN_PASSWORD",
      message: `must have at least ${ADMIN_PASSWORD_MIN} characters when CREATE_ADMIN_USER is true`,
    });
  }
  return problems;
}

/** Variables, each with those that it makes no sense without. */
const NEEDS: readonly (readonly [VariableName, ...VariableName[]])[] = [
  ["KAFKA_SSL", "KAFKA_BROKERS"],
  ["KAFKA_CA_FILE", "KAFKA_SSL"],
  ["KAFKA_SASL_MECHANISM", "KAFKA_BROKERS", "KAFKA_USERNAME", "KAFKA_PASSWORD"],
  ["KAFKA_USERNAME", "KAFKA_SASL_MECHANISM"],
  ["KAFKA_PASSWORD", "KAFKA_SASL_MECHANISM"],
  ["OIDC_ISSUER", "OIDC_CLIENT_ID"],
  ["OIDC_CLIENT_ID", "OIDC_ISSUER"],
  ["OIDC_CLIENT_SECRET", "OIDC_ISSUER"],
  ["OIDC_ROLES", "OIDC_ISSUER"],
  ["OIDC_ONLY", "OIDC_ISSUER"],
  ["JWT_SECRET_PREVIOUS", "JWT_SECRET"],
  ["EMAIL_WEBHOOK_SECRET_PREVIOUS", "EMAIL_WEBHOOK_SECRET"],
];

/** Those that `false` turns off. */
const SWITCHES: readonly VariableName[] = ["KAFKA_SSL", "OIDC_ONLY"];

function missingProblems(raw: RawVariables): ConfigProblem[] {
  const isOn = (name: VariableName): boolean =>
    raw[name] !== undefined &&
    (!SWITCHES.includes(name) || flag().safeParse(raw[name]).data === true);
  return NEEDS.flatMap(([name, ...needs]) => {
    const missing = isOn(name) ? needs.filter((each) => !isOn(each)) : [];
    return missing.map((each) => ({ variable: each, message: `is required with ${name}` }));
  });
}

export function problemsIn(error: z.ZodError | undefined): ConfigProblem[] {
  return (error?.issues ?? []).map(({ path, message }) => ({ variable: String(path[0]), message }));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError where a file of a secret cannot be read, or the secret itself is set as well */
export function rawVariables(env: Environment): RawVariables {
  const all = withSecretsOfFiles(env);
  const entries = VARIABLE_NAMES.map((name) => [name, all[name]] as const);
  // A secret of blanks is weak, not absent: its owner must not get another one unawares.
  const isSet = (name: string, value = ""): boolean =>
    name === "JWT_SECRET" ? value !== "" : value.trim() !== "";
  return Object.fromEntries(entries.filter(([name, value]) => isSet(name, value)));
}

/** A file's last line break, which editors add, is no part of the secret. */
function withSecretsOfFiles(env: Environment): Environment {
  const named = SECRETS.flatMap((name) => {
    const path = env[`${name}_FILE`]?.trim();
    return path ? [{ name, path }] : [];
  });
  const problems: ConfigProblem[] = [];
  const secrets = named.map(({ name, path }) => {
    const variable = `${name}_FILE`;
    if (env[name]) problems.push({ variable, message: `is set, and so is ${name}: set one` });
    try {
      return [name, readFileSync(path, "utf8").replace(/\r?\n$/, "")] as const;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
      problems.push({ variable, message: `names a file that cannot be read${code}` });
      return [name, undefined] as const;
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...env, ...Object.fromEntries(secrets) };
}

export function readVariables(raw: RawVariables): Variables {
  const result = Variables.safeParse(raw);
  const createAdmin = flag().safeParse(raw.CREATE_ADMIN_USER).data === true;
  // An unreadable ROLES may have included the gateway.
  const isGateway = Variables.shape.ROLES.safeParse(raw.ROLES).data?.has("gateway") ?? true;
  const problems = [
    ...problemsIn(result.error),
    ...databaseProblems(raw, isGateway),
    ...adminProblems(raw, createAdmin),
    ...missingProblems(raw),
  ];
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return result.data;
}
