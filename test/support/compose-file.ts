import { parse } from "yaml";
import { z } from "zod";

const Service = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  healthcheck: z.object({ test: z.array(z.string()).min(2) }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  user: z.string().optional(),
  privileged: z.boolean().default(false),
  cap_add: z.array(z.string()).default([]),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  read_only: z.boolean().default(false),
  tmpfs: z.array(z.string()).default([]),
  mem_limit: z.string().optional(),
  pids_limit: z.number().optional(),
  ports: z.array(z.string()).default([]),
});
export type ComposeService = z.infer<typeof Service>;

const ComposeFile = z.object({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.unknown()).default({}),
  networks: z
    .record(z.string(), z.object({ internal: z.boolean() }).partial().nullable())
    .default({}),
});
export type ComposeFile = z.infer<typeof ComposeFile>;

/** The content of a compose file, with what it merges put in. @throws ZodError, YAMLParseError */
export function parseComposeFile(text: string): ComposeFile {
  return ComposeFile.parse(parse(text, { merge: true }));
}

/** One `${NAME…}` of a value; `operator` is `:?`, `:-`, `-`, `?` or empty, `rest` what stands behind it. */
export type Reference = {
  readonly name: string;
  readonly operator: string;
  readonly rest: string;
};

const REFERENCE = /\$\{(\w+)(:?[?-])?([^}]*)\}/g;

export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(REFERENCE)].map(([, name = "", operator = "", rest = ""]) => ({
    name,
    operator,
    rest,
  }));
}

/** The value as Compose makes it when the variables given are set and no others. */
export function interpolated(value: string, given: Readonly<Record<string, string>>): string {
  return value.replaceAll(REFERENCE, (_, name: string, operator = "", rest = "") => {
    const known = given[name];
    return known !== undefined ? known : operator.endsWith("-") ? rest : "";
  });
}
