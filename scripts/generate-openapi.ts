/**
 * `npm run openapi` writes the OpenAPI document (gateway/docs/openapi.json) and the types of the client
 * (client/rest-types.generated.ts). A test fails if these files are out of date.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiFiles } from './openapi/files.ts';

for (const [name, text] of openApiFiles())
  writeFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), text);
