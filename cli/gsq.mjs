#!/usr/bin/env node
/**
 * The executable file of the command `gsq` (`bin` of package.json). It loads TypeScript support and the command from
 * its own package, so that it works in any working directory.
 */
const { href } = new URL('./gsq.ts', import.meta.url);
await import(`../runtime/typescript.mjs?program=${href}`);
await import(href);
