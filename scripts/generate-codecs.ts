import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codecSources } from './codecs/sources.ts';

/*
 * Writes the files in proto/generated/codec: decoders and encoders for the messages in scripts/codecs/plan.ts. `npm run
 * proto` runs this script. With --check, it writes nothing and fails if a file is out of date.
 */

const root = new URL('../proto/', import.meta.url);
const folder = new URL('generated/codec/', root);
const stale: string[] = [];

if (!process.argv.includes('--check')) mkdirSync(folder, { recursive: true });
for (const [file, source] of codecSources(readFileSync(new URL('gsq.binpb', root)))) {
  const path = new URL(file, folder);
  if (!process.argv.includes('--check')) writeFileSync(path, source);
  else if (readFileSync(path, 'utf8') !== source) stale.push(file);
}
if (stale.length > 0) {
  console.error(`proto/generated/codec is stale: ${stale.join(', ')}; run npm run proto`);
  process.exitCode = 1;
}
