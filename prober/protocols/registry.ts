import { a2s } from './a2s.ts';
import { bedrock } from './bedrock.ts';
import { minecraft } from './minecraft.ts';
import { mumble } from './mumble.ts';
import type { Protocol } from './protocol.ts';
import { quake3 } from './quake3.ts';

/** The protocols the prober speaks itself, by the name the catalog gives them. gamedig has the rest. */
export const protocols: ReadonlyMap<string, Protocol> = new Map([
  ['a2s', a2s],
  ['bedrock', bedrock],
  ['minecraft', minecraft],
  ['mumbleping', mumble],
  ['quake3', quake3],
]);
