import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecret } from '../../../prober/answers/redact.ts';

test('redacting removes the plain form and the URL-encoded forms of a secret from a text', () => {
  const secret = 'a b&c';
  assert.equal(
    withoutSecret(`${secret}, ?x=a%20b%26c, ?x=a+b%26c, and ${secret} again`, secret),
    '(hidden), ?x=(hidden), ?x=(hidden), and (hidden) again',
  );
  assert.equal(withoutSecret('nothing to hide', ''), 'nothing to hide');
  assert.equal(withoutSecret('a $& b', '$&'), 'a (hidden) b');
});
