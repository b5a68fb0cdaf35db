import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gsq } from './gsq-command.ts';

describe('the command line parser of gsq token', () => {
  const misuses: [args: string[], why: RegExp][] = [
    [['rotate'], /id of one token/],
    [['rotate', 'a', 'b'], /id of one token/],
    [['rotate', 'a', '--grace'], /--grace needs a value/],
    [['rotate', 'a', '--grace', '7'], /--grace: "7" is not a duration/],
    [['rotate', 'a', '--grace', '0d'], /--grace: "0d" is not a duration/],
    [['allow'], /id of one token/],
    [['allow', 'a'], /give --ip or --domain or both, or give only --none/],
    [['allow', 'a', '--none', '--ip', '::1'], /give --ip or --domain or both, or give only --none/],
    [['usage'], /id of one token/],
    [['check'], /one file name is needed/],
    [['create', '--email', 'a@b.example', '--expires-in', '36501d'], /a hundred years/],
  ];
  for (const [args, why] of misuses) {
    test(`treats "gsq token ${args.join(' ')}" as a usage error, with exit status 2`, async () => {
      const { status, out, talk } = await gsq({}, 'token', ...args);
      assert.deepEqual([status, out], [2, ''], talk);
      assert.match(talk, why);
    });
  }
});
