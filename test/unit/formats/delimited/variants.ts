import { BULLETINS } from "./variants/bulletins.ts";
import { FAULTS } from "./variants/faults.ts";
import { HEADERLESS } from "./variants/headerless.ts";
import { SERVICES } from "./variants/services.ts";
import { SPELLINGS } from "./variants/spellings.ts";

/** Catalogue files as the world writes them. */
export const VARIANTS = [...SERVICES, ...BULLETINS, ...HEADERLESS, ...SPELLINGS, ...FAULTS];
