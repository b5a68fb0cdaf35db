/**
 * `npm run openapi` writes the OpenAPI document (gateway/docs/openapi.json) and the types of the client
 * (client/rest-types.generated.ts). The sources are the descriptor image and the table of payload fields. A test
 * compares the committed files with new ones.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiFiles } from './openapi/files.ts';

for (const [name, text] of openApiFiles())
  writeFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), text);
