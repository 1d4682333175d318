/**
 * Loaded before everything else (`--import`), by worker threads too: Node keeps what it made of the
 * sources beside the packages, where the next start finds it. Besides compiling it spares the reader of
 * TypeScript, 20 MiB in each thread; that is why this is JavaScript. Where the directory cannot be
 * written nothing is kept, and all goes on as without it.
 * @see https://nodejs.org/api/module.html#module-compile-cache
 */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url)));
