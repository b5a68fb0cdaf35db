/**
 * `npm run openapi` writes the OpenAPI document of the REST API (gateway/docs/openapi.json) and the types of the client
 * (client/rest-types.generated.ts). The sources are the descriptor image, its `google.api.http` annotations, and
 * the table of payload fields. A test compares the committed files with newly generated ones.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiFiles } from './openapi/files.ts';

for (const [name, text] of openApiFiles())
  writeFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), text);
