import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { closedPort } from './closed-port.ts';
import { gsq } from './gsq-command.ts';

const PASSWORD = 'the-password-of-the-engine';
const URL = `redis://:${PASSWORD}@127.0.0.1:1`;

const misuses: [args: string[], why: RegExp][] = [
  [[], /--from or --to is needed/],
  [['leveldb'], /migrate takes no argument/],
  [['--from', 'leveldb'], /exactly one of --from and --to must be leveldb/],
  [['--from', URL, '--to', URL], /exactly one of --from and --to must be leveldb/],
  [['--from', `http://${PASSWORD}`, '--to', 'leveldb'], /--from must be leveldb, or the URL/],
  [['--to', URL, '--to-file', 'x'], /either --to or --to-file, not both/],
  [['--to-file', '/nowhere'], /--to-file: there is no file \/nowhere/],
  [['--abort', '--from', 'leveldb', '--to', URL], /--abort takes --from only together with --to leveldb/],
];
for (const [args, why] of misuses) {
  test(`gsq migrate treats the arguments "${args.join(' ')}" as a usage error`, async () => {
    const { status, out, talk } = await gsq({}, 'migrate', ...args);
    assert.equal(status, exitStatus.usage, talk);
    assert.equal(out, '');
    assert.match(talk, why);
    assert.doesNotMatch(talk, new RegExp(PASSWORD));
  });
}

test('gsq migrate refuses an invalid database URL, a database that does not answer, and a directory without a store', async () => {
  const directory = scratchDirectory();
  const file = join(directory, 'url');
  const away = `redis://:${PASSWORD}@127.0.0.1:${await closedPort()}`;
  writeFileSync(file, `${URL}?nix=1\n`, { mode: 0o600 });
  const run = async (...args: string[]): Promise<string> => {
    const env = { GSQ_DATA_DIR: directory, GSQ_STORE: away };
    const { status, talk } = await gsq(env, 'migrate', ...args);
    assert.equal(status, exitStatus.configuration, talk);
    assert.doesNotMatch(talk, new RegExp(PASSWORD));
    return talk;
  };
  assert.match(await run('--from', 'leveldb'), /GSQ_DATA_DIR: there is no store in/);
  assert.match(
    await run('--to', 'leveldb', '--from-file', file),
    /--from: the URL is not valid: .*parameter/,
  );
  assert.match(
    await run('--to', 'leveldb'),
    /--from: the store at redis:\/\/127\.0\.0\.1:\d+ cannot be opened/,
  );
  assert.match(await run('--abort', '--to', 'leveldb'), /there is no store in/);
});
