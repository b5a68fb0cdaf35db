import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');
/** For each top-level folder, the top-level folders from which its files may import. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  net: ['runtime'],
  proto: ['runtime', 'net'],
  client: [],
  core: ['runtime', 'net', 'proto'],
  gateway: ['runtime', 'net', 'proto', 'client'],
  prober: ['runtime', 'net', 'proto'],
  notifier: ['runtime', 'net', 'proto'],
  cli: ['runtime', 'net', 'proto'],
};
const HOUSES = Object.keys(BELOW);
const DOMAIN = [
  'core/catalog',
  'core/servers',
  'core/admission',
  'core/access',
  'core/credentials',
  'core/schedule',
  'core/history',
  'core/feed',
  'core/search',
  'core/webhooks',
];
const SPECIFIER =
  /(?:^|[\s;}])(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|[\s;}])import\s*['"]([^'"]+)['"]|\b(?:import|require|import\.meta\.resolve)\(\s*['"]([^'"]+)['"]/g;

interface Import {
  /** The path of the importing file from the root of the repository, with slashes. */
  file: string;
  /** The imported file as a path from the root of the repository, or the name of an imported package. */
  target: string;
}

function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(SPECIFIER)].map(([, from, bare, called]) => {
    const written = from ?? bare ?? called ?? '';
    const target = written.startsWith('.') ? relative(root, resolve(root, dirname(file), written)) : written;
    return { file, target };
  });
}

function allImports(): Import[] {
  return HOUSES.flatMap(house =>
    readdirSync(join(root, house), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.startsWith('generated/'))
      .map(name => join(house, name))
      .flatMap(file => importsOf(file, readFileSync(join(root, file), 'utf8'))),
  );
}

const imports = allImports();
const houseOf = (path: string): string => path.split('/', 1)[0] ?? '';
const isOurs = ({ target }: Import): boolean => HOUSES.some(house => target.startsWith(`${house}/`));
const isPackage = (target: string, name: string): boolean => target === name || target.startsWith(`${name}/`);
const shown = (found: Import[]): string[] => found.map(({ file, target }) => `${file} imports ${target}`);

/** Returns the source files that import at least one of the given packages. */
function importersOf(...packages: string[]): string[] {
  const found = imports.filter(({ target }) => packages.some(name => isPackage(target, name)));
  return [...new Set(found.map(({ file }) => file))];
}

/** Converts imports between files to imports between their folders. Leaves out imports within one folder. */
function betweenFolders(found: readonly Import[]): Import[] {
  return found
    .map(({ file, target }) => ({ file: dirname(file), target: dirname(target) }))
    .filter(({ file, target }) => file !== target);
}

/**
 * Returns the groups of files or folders that import each other in a cycle, sorted (strongly connected components,
 * Tarjan).
 */
function cycles(found: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of found) targets.set(file, [...(targets.get(file) ?? []), target]);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    stack.push(node);
    let low = index;
    for (const target of targets.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? low);
    }
    lowest.set(node, low);
    if (low !== index) return low;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1 || targets.get(node)?.includes(node)) groups.push(group.sort());
    return low;
  };
  for (const node of targets.keys()) if (!order.has(node)) visit(node);
  return groups;
}

test('the import checks find static, type-only, side-effect and dynamic imports, re-exports and import.meta.resolve', () => {
  const source = `import a, { b } from './a.ts';
import type { C } from '../c.ts';
import 'side';
import {
  d,
} from "d";
export { e } from './e.ts';
export * from './f.ts';
const g = await import('./g.ts');
const h = import.meta.resolve('h');
`;
  assert.deepEqual(
    importsOf('core/x/y.ts', source).map(({ target }) => target),
    ['core/x/a.ts', 'core/c.ts', 'side', 'd', 'core/x/e.ts', 'core/x/f.ts', 'core/x/g.ts', 'h'],
  );
  for (const house of HOUSES.filter(name => name !== 'client')) {
    assert.ok(
      imports.some(({ file }) => houseOf(file) === house),
      `no import found in ${house}/`,
    );
  }
});

test('each top-level folder imports only its allowed folders', () => {
  const wrong = imports.filter(one => {
    const room = houseOf(one.file);
    return isOurs(one) && ![room, ...(BELOW[room] ?? [])].includes(houseOf(one.target));
  });
  assert.deepEqual(shown(wrong), []);
});

test('the import checks detect cyclic imports between files and between folders', () => {
  const planted = [
    { file: 'core/a/one.ts', target: 'core/b/two.ts' },
    { file: 'core/b/two.ts', target: 'core/c/three.ts' },
    { file: 'core/c/three.ts', target: 'core/a/one.ts' },
  ];
  assert.deepEqual(cycles(planted), [['core/a/one.ts', 'core/b/two.ts', 'core/c/three.ts']]);
  assert.deepEqual(cycles(betweenFolders(planted)), [['core/a', 'core/b', 'core/c']]);
  const acyclicFiles = [
    { file: 'core/a/one.ts', target: 'core/b/two.ts' },
    { file: 'core/b/other.ts', target: 'core/a/another.ts' },
  ];
  assert.deepEqual(cycles(acyclicFiles), []);
  assert.deepEqual(cycles(betweenFolders(acyclicFiles)), [['core/a', 'core/b']]);
});

test('no files import each other in a cycle', () => {
  assert.deepEqual(cycles(imports.filter(isOurs)), []);
});

test('no folders import each other in a cycle', () => {
  assert.deepEqual(cycles(betweenFolders(imports.filter(isOurs))), []);
});

test('source files import nothing outside the top-level source folders except packages and Node modules', () => {
  const wrong = imports.filter(
    one => !isOurs(one) && (/^(?:scripts|test|docs)\//.test(one.target) || /^[./]/.test(one.target)),
  );
  assert.deepEqual(shown(wrong), []);
});

test('exactly one source file imports the LevelDB packages', () => {
  const files = importersOf('levelup', 'leveldown', 'classic-level', 'level');
  assert.equal(files.length, 1, files.join(', '));
});

test('only core/store/history, core/engine.ts and core/offline-store.ts import from core/store/leveldb', () => {
  const users = imports.filter(
    ({ file, target }) =>
      target.startsWith('core/store/leveldb/') &&
      !file.startsWith('core/store/leveldb/') &&
      !file.startsWith('core/store/history/'),
  );
  assert.deepEqual([...new Set(users.map(({ file }) => file))].sort(), [
    'core/engine.ts',
    'core/offline-store.ts',
  ]);
});

test('exactly one source file imports the Redis client package', () => {
  assert.deepEqual(importersOf('@redis/client'), ['core/store/redis/engine-connection.ts']);
});

test('only the gateway imports Express', () => {
  const files = importersOf('express', 'http-proxy-middleware');
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.filter(file => houseOf(file) !== 'gateway'),
    [],
  );
});

test('only the prober imports gamedig', () => {
  const files = importersOf('gamedig');
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.filter(file => houseOf(file) !== 'prober'),
    [],
  );
});

test('the folders of the core that must not depend on gRPC import no gRPC code', () => {
  const inDomain = imports.filter(({ file }) => DOMAIN.some(folder => file.startsWith(`${folder}/`)));
  for (const folder of DOMAIN) {
    assert.ok(
      inDomain.some(({ file }) => file.startsWith(`${folder}/`)),
      `no import found in ${folder}/`,
    );
  }
  const wrong = inDomain.filter(
    ({ target }) =>
      ['@grpc/grpc-js', '@grpc/proto-loader'].some(name => isPackage(target, name)) ||
      target.startsWith('core/rpc/'),
  );
  assert.deepEqual(shown(wrong), []);
});
