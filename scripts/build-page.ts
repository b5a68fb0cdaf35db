/**
 * `npm run page` builds the scripts and styles of the pages into `gateway/page/built`. The built files are committed,
 * and a test compares them with a fresh build.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from './page-build.ts';

const built = join(import.meta.dirname, '../gateway/page/built');
rmSync(built, { recursive: true, force: true });
mkdirSync(built);
for (const [name, contents] of await buildPage()) writeFileSync(join(built, name), contents);
