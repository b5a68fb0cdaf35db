import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Prepares this thread to import TypeScript. `program`: path of the TypeScript file that the thread imports first. Node
 * versions before 22.18 cannot strip types, and no version strips types in a folder `node_modules`. There, a program of
 * gsq is bundled (bundle.mjs), and tsx loads all other programs. From 22.8 on, Node can cache compiled code, which
 * makes a process ready in two thirds of the time.
 */
export async function loadTypeScript(program) {
  // The cache is in a folder that only the owner of the project can write to. Node's default cache is in the temporary
  // directory, where any user could write.
  module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));
  if (process.features.typescript && !import.meta.url.includes('/node_modules/')) return;
  const { bundleOf } = await import('./bundle.mjs');
  const bundle = await bundleOf(program);
  if (bundle) {
    process.setSourceMapsEnabled(true);
    const data = { program: pathToFileURL(program).href, bundle };
    module.register('./bundle-hooks.mjs', import.meta.url, { data });
  } else {
    const { register } = await import('tsx/esm/api');
    register();
  }
}
