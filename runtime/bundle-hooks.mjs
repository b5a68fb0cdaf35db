/** Hooks of Node's module loader. They load the bundle of a program (bundle.mjs) in place of its TypeScript file. */

/** The bundles, keyed by the URL of the program. */
const bundles = new Map();

export function initialize({ program, bundle }) {
  bundles.set(program, bundle);
}

export function load(url, context, next) {
  const source = bundles.get(url);
  return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true };
}
