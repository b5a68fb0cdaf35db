/**
 * Every process preloads this module (`node --import`), so that it can load TypeScript. Node versions before 22.18
 * cannot strip types, and no version strips types in a folder `node_modules`, so tsx does it there. From 22.8 on, Node
 * can cache compiled code, which makes a process ready in two thirds of the time.
 */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// The cache is in a folder that only the owner of the project can write to. Node's default cache is in the temporary
// directory, where any user could write.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));

if (!process.features.typescript || import.meta.url.includes('/node_modules/')) {
  const { register } = await import('tsx/esm/api');
  register();
}
