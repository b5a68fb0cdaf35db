import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundleOf } from '../../runtime/bundle.mjs';
import { scratchDirectory } from '../system/scratch-directory.ts';

const project = resolve(import.meta.dirname, '../..');
const PART = "export const where = (): string => import.meta.url + ' ' + import.meta.dirname;\n";
const PROGRAM = `import { where } from './parts/part.ts';
interface Answer { readonly text: string }
const answer: Answer = { text: where() };
console.log(answer.text);
console.log(/main\\.ts:\\d+/.exec(new Error('to see its line').stack ?? '')?.[0]);
`;

describe('a bundle (program and imports in one file)', () => {
  let root: string;
  let program: string;
  beforeEach(() => {
    root = scratchDirectory();
    program = join(root, 'core/main.ts');
    mkdirSync(join(root, 'core/parts'), { recursive: true });
    mkdirSync(join(root, 'node_modules'));
    cpSync(join(project, 'runtime'), join(root, 'runtime'), { recursive: true });
    cpSync(join(project, 'tsconfig.json'), join(root, 'tsconfig.json'));
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    for (const name of ['esbuild', 'tsx', 'get-tsconfig'])
      symlinkSync(join(project, 'node_modules', name), join(root, 'node_modules', name));
    writeFileSync(program, PROGRAM);
    writeFileSync(join(root, 'core/parts/part.ts'), PART);
  });
  const run = (): string[] =>
    execFileSync(process.execPath, ['--import', join(root, 'runtime/typescript.mjs'), program])
      .toString()
      .trimEnd()
      .split('\n');
  /**
   * The expected output of the bundled program: a line with the URL and directory of the imported file, and a line of a
   * stack trace.
   */
  const expected = (): string[] => {
    const part = join(root, 'core/parts/part.ts');
    return [`${pathToFileURL(part).href} ${dirname(part)}`, 'main.ts:5'];
  };

  test('keeps source paths in import.meta and source lines in stack traces', () => {
    assert.deepEqual(run(), expected());
    assert.deepEqual(run(), expected());
  });

  const kept = (): string => join(root, 'node_modules/.cache/bundles/core-main.ts.mjs');

  test('contains the files that the program imports, and is built only once', async () => {
    const bundle = await bundleOf(program, root);
    assert.doesNotMatch(bundle ?? '', /from ['"]\./);
    assert.equal(readFileSync(kept(), 'utf8'), bundle);
    const { ino } = statSync(kept());
    assert.equal(await bundleOf(program, root), bundle);
    assert.equal(statSync(kept()).ino, ino);
  });

  test('declares constants as const, and variables as var, even if two files have a variable of the same name', async () => {
    const part =
      'let count = 0;\nlet last3 = 0;\nconst STEP = 2;\nexport const next = (): number => (last3 = count += STEP);\n';
    writeFileSync(join(root, 'core/parts/part.ts'), part);
    writeFileSync(
      program,
      `import { next } from './parts/part.ts';\nlet count = 5;\n${'count++;\n'}console.log(next() + count);\n`,
    );
    const bundle = (await bundleOf(program, root)) ?? '';
    assert.match(bundle, /^const STEP = 2;$/m);
    assert.equal(bundle.match(/^var count2? = \d;$/gm)?.length, 2);
    assert.deepEqual(run(), ['8']);
  });

  test('is built again after an imported file has changed', async () => {
    await bundleOf(program, root);
    writeFileSync(join(root, 'core/parts/part.ts'), "export const where = (): string => 'elsewhere';\n");
    assert.match((await bundleOf(program, root)) ?? '', /elsewhere/);
    assert.equal(run()[0], 'elsewhere');
  });

  test('contains the new paths if the project was copied to another folder', async () => {
    await bundleOf(program, root);
    const copy = scratchDirectory();
    // The copied files must have exactly the same times as the originals, so that only their paths differ. cp copies
    // the nanoseconds of the times, and cpSync does not.
    execFileSync('cp', ['-a', `${root}/.`, copy]);
    assert.match((await bundleOf(join(copy, 'core/main.ts'), copy)) ?? '', new RegExp(`${copy}/core/parts"`));
  });

  test('is built again if it is damaged', async () => {
    const bundle = await bundleOf(program, root);
    writeFileSync(kept(), 'not a bundle');
    assert.equal(await bundleOf(program, root), bundle);
    assert.deepEqual(run(), expected());
  });

  test('is also used if it cannot be saved in the cache folder', async () => {
    writeFileSync(join(root, 'node_modules/.cache'), 'no folder');
    assert.ok(await bundleOf(program, root));
    assert.deepEqual(run(), expected());
  });

  test('is not built if an import is wrong, and the error names this import', async () => {
    writeFileSync(program, "import './nothing.ts';\n");
    assert.equal(await bundleOf(program, root), undefined);
    assert.throws(run, /nothing\.ts/);
  });

  test('is not built for tests and scripts', async () => {
    for (const path of ['test/a.test.ts', 'scripts/a.ts', 'core/main.mjs', '../core/main.ts'])
      assert.equal(await bundleOf(join(root, path), root), undefined);
  });
});
