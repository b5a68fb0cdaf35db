import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecret } from '../../../prober/answers/redact.ts';

test('redacting removes a secret from a text, in its plain form and in its URL-encoded forms', () => {
  const secret = 'a b&c';
  assert.equal(
    withoutSecret(`${secret}, ?x=a%20b%26c, ?x=a+b%26c, and ${secret} again`, secret),
    '(hidden), ?x=(hidden), ?x=(hidden), and (hidden) again',
  );
  assert.equal(withoutSecret('nothing to hide', ''), 'nothing to hide');
  assert.equal(withoutSecret('a $& b', '$&'), 'a (hidden) b');
});
