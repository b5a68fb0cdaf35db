/** Every process preloads this module (`node --import`), so that it can load TypeScript (load-typescript.mjs). */
import { resolve } from 'node:path';
import { loadTypeScript } from './load-typescript.mjs';

await loadTypeScript(resolve(process.argv[1] ?? ''));
