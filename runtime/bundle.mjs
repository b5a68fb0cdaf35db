import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';

/** Root folder of the project. */
const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
/** The folders with programs that are bundled. Tests and scripts are not bundled, because they change too often. */
const FOLDERS = ['cli', 'core', 'gateway', 'notifier', 'prober'];
/**
 * Files that decide how a program is bundled, besides the version of esbuild. If one of them changes, all bundles are
 * built again.
 */
const TOOLS = ['runtime/bundle.mjs', 'tsconfig.json'];
const HEAD = '//';

/**
 * Returns a program of gsq as one JavaScript module: its TypeScript file, and all files of gsq that this file imports.
 * On a Node version that cannot strip types, the program then starts in half of the time, because tsx asks another
 * thread for each of up to 470 files. Packages are not bundled.
 *
 * The module is kept in the folder node_modules/.cache, and built again only if a file has changed. Returns undefined
 * for other programs, such as tests, and if the module cannot be built.
 */
export async function bundleOf(program, root = ROOT) {
  const name = relative(root, program);
  if (!name.endsWith('.ts') || !FOLDERS.includes(name.split(sep)[0])) return undefined;
  const path = join(root, 'node_modules/.cache/bundles', `${name.replaceAll(sep, '-')}.mjs`);
  try {
    return readFresh(path, root) ?? keep(path, await build(program, root));
  } catch {
    return undefined;
  }
}

/**
 * Reads a bundle. Returns undefined if there is none, if one of its inputs has changed, or if the project was copied to
 * another place. The first line of a bundle contains the root folder of the project and its inputs, each with its
 * version.
 */
function readFresh(path, root) {
  try {
    const bundle = readFileSync(path, 'utf8');
    const built = JSON.parse(bundle.slice(HEAD.length, bundle.indexOf('\n')));
    const isCurrent = ([name, version]) => versionOf(join(root, name)) === version;
    return built.root === root && Object.entries(built.inputs).every(isCurrent) ? bundle : undefined;
  } catch {
    return undefined;
  }
}

function keep(path, bundle) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Renames a complete file, because other processes and threads of gsq can start at the same time.
    const written = `${path}.${process.pid}-${threadId}`;
    writeFileSync(written, bundle);
    renameSync(written, path);
  } catch {
    // On a read-only disk, each start builds the bundle again.
  }
  return bundle;
}

function versionOf(path) {
  const { mtimeMs, size } = statSync(path);
  return `${mtimeMs} ${size}`;
}

async function build(program, root) {
  const esbuild = await import('esbuild');
  const bundler = createRequire(import.meta.url).resolve('esbuild/package.json');
  const tools = [...TOOLS, relative(root, bundler)];
  const inputs = Object.fromEntries(tools.map(path => [path, versionOf(join(root, path))]));
  const variables = new Set();
  const { outputFiles } = await esbuild.build({
    entryPoints: [program],
    absWorkingDir: root,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    legalComments: 'none',
    outfile: program.replace(/\.ts$/, '.js'),
    write: false,
    logLevel: 'silent',
    plugins: [ownUrls(root, inputs, variables)],
  });
  await esbuild.stop();
  return `${HEAD}${JSON.stringify({ root, inputs })}\n${withConstants(outputFiles[0].text, variables)}`;
}

/**
 * Declares the constants of a bundle as `const` again, because esbuild declares everything at the top level as `var`.
 * V8 compiles a use of a `const` to faster code: a probe takes 4 % less CPU time in the core. Files that only a dynamic
 * import loads keep their `var`. `variables`: names that the source declares as `let`. If two files have the same name,
 * esbuild appends a number to one of them.
 */
function withConstants(bundle, variables) {
  return bundle.replace(/^var (\w+) = /gm, (declaration, name) =>
    variables.has(name) || variables.has(name.replace(/\d+$/, '')) ? declaration : `const ${name} = `,
  );
}

/**
 * A plugin of esbuild that replaces `import.meta.url` and `import.meta.dirname` in each bundled file by their values.
 * Adds the version of each file to `inputs`, and the names of the variables at its top level to `variables`.
 */
function ownUrls(root, inputs, variables) {
  return {
    name: 'own-urls',
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        // Reads the version before the file. If the file changes in between, the next start builds the bundle again.
        inputs[relative(root, path)] = versionOf(path);
        const source = readFileSync(path, 'utf8');
        for (const [, name] of source.matchAll(/^(?:export )?let (\w+)/gm)) variables.add(name);
        const contents = source
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
        return { contents, loader: 'ts' };
      });
    },
  };
}
