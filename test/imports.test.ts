import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');
const HOUSES = ['proto', 'runtime', 'core', 'gateway', 'prober', 'cli'];
const DOMAIN = ['core/catalog', 'core/servers', 'core/access', 'core/credentials', 'core/schedule'];
const SPECIFIER =
  /(?:^|[\s;}])(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|[\s;}])import\s*['"]([^'"]+)['"]|\b(?:import|require|import\.meta\.resolve)\(\s*['"]([^'"]+)['"]/g;

interface Import {
  /** Path from the root, with slashes. */
  file: string;
  /** A path from the root where it is one of ours, else as written. */
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
      .filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map(name => join(house, name))
      .flatMap(file => importsOf(file, readFileSync(join(root, file), 'utf8'))),
  );
}

const imports = allImports();
const houseOf = (path: string): string => path.split('/', 1)[0] ?? '';
const isOurs = ({ target }: Import): boolean => HOUSES.some(house => target.startsWith(`${house}/`));
const isPackage = (target: string, name: string): boolean => target === name || target.startsWith(`${name}/`);
const shown = (found: Import[]): string[] => found.map(({ file, target }) => `${file} imports ${target}`);

/** Files that import one of the packages. */
function importersOf(...packages: string[]): string[] {
  const found = imports.filter(({ target }) => packages.some(name => isPackage(target, name)));
  return [...new Set(found.map(({ file }) => file))];
}

test('every form of import is seen', () => {
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
  for (const house of HOUSES) {
    assert.ok(
      imports.some(({ file }) => houseOf(file) === house),
      `no import found in ${house}/`,
    );
  }
});

test('proto and runtime import nothing of ours', () => {
  const wrong = imports.filter(
    one =>
      ['proto', 'runtime'].includes(houseOf(one.file)) &&
      isOurs(one) &&
      houseOf(one.target) !== houseOf(one.file),
  );
  assert.deepEqual(shown(wrong), []);
});

test('core, gateway, prober and cli import proto and runtime, never each other', () => {
  const wrong = imports.filter(one => {
    const house = houseOf(one.file);
    return isOurs(one) && !['proto', 'runtime', house].includes(houseOf(one.target));
  });
  assert.deepEqual(shown(wrong), []);
});

test('nothing outside these folders is imported but packages and Node', () => {
  const wrong = imports.filter(
    one => !isOurs(one) && (/^(?:scripts|test|docs)\//.test(one.target) || /^[./]/.test(one.target)),
  );
  assert.deepEqual(shown(wrong), []);
});

test('one file knows LevelDB', () => {
  const files = importersOf('levelup', 'leveldown', 'classic-level', 'level');
  assert.equal(files.length, 1, files.join(', '));
});

test('only gateway knows Express', () => {
  const files = importersOf('express', 'http-proxy-middleware');
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.filter(file => houseOf(file) !== 'gateway'),
    [],
  );
});

test('only prober knows gamedig', () => {
  const files = importersOf('gamedig');
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.filter(file => houseOf(file) !== 'prober'),
    [],
  );
});

test('the domain folders of the core know no gRPC', () => {
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
