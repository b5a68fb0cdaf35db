#!/usr/bin/env node
/**
 * The executable file of the command `gsq` (`bin` of package.json). It loads TypeScript support and the command from
 * its own package, so that it works in any working directory.
 */
import { fileURLToPath } from 'node:url';
import { loadTypeScript } from '../runtime/load-typescript.mjs';

const { href } = new URL('./gsq.ts', import.meta.url);
await loadTypeScript(fileURLToPath(href));
await import(href);
