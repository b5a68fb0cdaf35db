import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gsq } from './gsq-command.ts';
import { withCore } from './running-core.ts';

describe('gsq with a core whose disk has too little free space', () => {
  const env = withCore({ GSQ_MIN_FREE_SPACE: '1000000GiB' });

  test('exits with 1 and prints why the core refuses to create a token', async () => {
    const { status, talk } = await gsq(env, 'token', 'create', '--email', 'ann@example.com');
    assert.equal(status, 1, talk);
    assert.match(talk, /^gsq: the store accepts no writes: .*GSQ_MIN_FREE_SPACE/);
    assert.doesNotMatch(talk, /no answer|Start the service/);
  });
});
