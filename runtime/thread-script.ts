import { typescript } from './script.ts';

/**
 * Returns the URL of a JavaScript module that imports the TypeScript file `script`. Node.js 20 cannot start a thread
 * with a TypeScript file directly.
 */
export function threadScript({ href }: URL): URL {
  const code = `import ${JSON.stringify(`${typescript}?program=${href}`)}; await import(${JSON.stringify(href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
