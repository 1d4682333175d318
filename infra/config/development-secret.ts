import { join } from "node:path";
import { keptSecret } from "../kernel/kept-secret.ts";

/** The secret that signs sessions in embedded mode: created once and kept in `dataDir/jwt-secret`. */
export async function developmentSecret(dataDir: string): Promise<string> {
  return keptSecret(join(dataDir, "jwt-secret"));
}
