import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { processLayers } from '../../runtime/config-sources.ts';
import { printConfig } from '../../runtime/print-config.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const table = {
  GSQ_ADDR: { kind: 'address', default: '127.0.0.1:8080' },
  GSQ_NAME: { kind: 'text', default: 'name' },
  GSQ_OPTION: { kind: 'text', default: null },
  GSQ_LIST: { kind: 'list', default: '' },
  GSQ_SECRET: { kind: 'text', default: null, secret: true, minLength: 8 },
} as const;

const SECRET = 'nobody-guesses-this';

function lines(env: Record<string, string>, ...flags: string[]): string[] {
  const text = printConfig(table, processLayers(table, env, flags));
  assert.ok(text.endsWith('\n'));
  return text.slice(0, -1).split('\n');
}

test('printConfig prints each setting with its value and its source, in the order of the settings table', () => {
  assert.deepEqual(lines({ GSQ_LIST: 'a, b', GSQ_NAME: 'env', PATH: '/bin' }, '--name', 'flag'), [
    'GSQ_ADDR=127.0.0.1:8080  # default',
    'GSQ_NAME=flag  # flag',
    '#GSQ_OPTION=  # default, not set',
    "GSQ_LIST='a, b'  # environment",
    '#GSQ_SECRET=  # default, not set',
  ]);
});

test('if two sources contain the same setting, printConfig prints the value and the name of the later source', () => {
  const layers = [
    { source: 'first', given: { GSQ_NAME: 'a', GSQ_OPTION: 'b' } },
    { source: 'second', given: { GSQ_NAME: 'c' } },
  ];
  assert.match(printConfig(table, layers), /^GSQ_NAME=c {2}# second\nGSQ_OPTION=b {2}# first$/m);
});

test('printConfig prints neither the value nor the length of a secret', () => {
  const file = join(scratchDirectory(), 'secret');
  writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
  const forms: [env: Record<string, string>, flags: string[], line: string][] = [
    [{ GSQ_SECRET: SECRET }, [], '#GSQ_SECRET=<hidden>  # environment'],
    [{}, ['--secret', SECRET], '#GSQ_SECRET=<hidden>  # flag'],
    [{ GSQ_SECRET: SECRET.repeat(9) }, [], '#GSQ_SECRET=<hidden>  # environment'],
    [
      { GSQ_SECRET_FILE: file },
      [],
      `GSQ_SECRET_FILE=${file}  # file named by environment; GSQ_SECRET=<hidden>`,
    ],
    [{}, ['--secret-file', file], `GSQ_SECRET_FILE=${file}  # file named by flag; GSQ_SECRET=<hidden>`],
  ];
  for (const [env, flags, line] of forms) {
    const printed = lines(env, ...flags);
    assert.equal(printed.at(-1), line);
    assert.ok(!printed.join().includes(SECRET));
  }
});

test('printConfig hides user and password in URLs', () => {
  const [, , option, list] = lines({
    GSQ_OPTION: 'redis://user:p@ss/wo,rd@example.com/a',
    GSQ_LIST: 'https://key@a.example,https://b.example',
  });
  assert.equal(option, "#GSQ_OPTION='redis://<hidden>@example.com/a'  # environment");
  assert.equal(list, "#GSQ_LIST='https://<hidden>@a.example,https://b.example'  # environment");
});

test('printConfig prints shell assignments, and a shell reads the same values from them', () => {
  const env = {
    GSQ_ADDR: '[::1]:80',
    GSQ_NAME: `it's $HOME, \`id\` # and "more" \\ é`,
    GSQ_OPTION: "two\nlines, a 'tab\t' and \\ \x1b[31m",
    GSQ_LIST: '*',
  };
  const printed = lines(env);
  assert.equal(printed.length, 5);
  const script = `set -a\n${printed.join('\n')}\nexec "$0" -p 'JSON.stringify(process.env)'`;
  const read = JSON.parse(
    execFileSync('bash', ['-c', script, process.execPath], { env: {}, encoding: 'utf8' }),
  );
  for (const [name, value] of Object.entries(env)) assert.equal(read[name], value);
  assert.deepEqual(lines(read), printed);
});

test('printConfig refuses invalid settings with the same messages as loadConfig', () => {
  const refused: [env: Record<string, string>, message: RegExp][] = [
    [{ GSQ_NIX: '1' }, /^GSQ_NIX: there is no such setting/],
    [{ GSQ_ADDR: 'nowhere' }, /^GSQ_ADDR: "nowhere" is not an address/],
    [{ GSQ_SECRET: 'short' }, /^GSQ_SECRET: is too short; at least 8 characters are needed$/],
    [{ GSQ_SECRET: SECRET, GSQ_SECRET_FILE: 'x' }, /both set/],
    [{ GSQ_SECRET_FILE: '/nonexistent' }, /^GSQ_SECRET_FILE: cannot read/],
  ];
  for (const [env, message] of refused) {
    assert.throws(() => lines(env), { name: 'ConfigError', message });
  }
});
