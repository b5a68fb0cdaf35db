import { fileURLToPath } from 'node:url';

const loader = new URL('./load-typescript.mjs', import.meta.url).href;

/**
 * Returns the URL of a JavaScript module that imports the TypeScript file `script`. Node.js 20 cannot start a thread
 * with a TypeScript file directly.
 */
export function threadScript(script: URL): URL {
  const [load, program, href] = [loader, fileURLToPath(script), script.href].map(text =>
    JSON.stringify(text),
  );
  // This module has no top-level await, and imports no module that has one: if a thread is ended immediately before it
  // evaluates such a module, Node.js 20 aborts the whole process.
  const code = `import { loadTypeScript } from ${load};
    loadTypeScript(${program}).then(() => import(${href}));`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
