import { readFileSync } from 'node:fs';
import { clientTypes } from './client-types.ts';
import { openApiDocument } from './document.ts';

const HEAD = '// Written by npm run openapi.';

/** Returns the files that `npm run openapi` writes: their names, relative to the project, and their contents. */
export function openApiFiles(): [string, string][] {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const document = openApiDocument(version);
  return [
    ['gateway/docs/openapi.json', `${JSON.stringify(document, null, 1)}\n`],
    ['client/rest-types.generated.ts', `${[HEAD, ...clientTypes(document.components.schemas)].join('\n')}\n`],
  ];
}
