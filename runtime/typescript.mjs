/**
 * Preloaded by every process (`node --import`), so that it can load TypeScript. Before 22.18 Node cannot strip types, so tsx
 * does. From 22.8 on Node keeps compiled code, with which a process is ready in two thirds of the time.
 */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Only the owner of the project can write to this folder. Anybody could write to Node's default, in the temporary directory.
module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));

if (!process.features.typescript) {
  const { register } = await import('tsx/esm/api');
  register();
}
