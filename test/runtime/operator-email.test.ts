import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { isEmail } from '../../core/access/token-service.ts';
import { operatorEmail } from '../../runtime/operator-email.ts';

test('the default e-mail address of the bootstrap token consists of user name and machine name, such as ada@workbench', () => {
  assert.equal(operatorEmail('ada', 'workbench'), 'ada@workbench');
  assert.ok(operatorEmail().endsWith(`@${hostname().split('.')[0]?.slice(0, 32)}`));
});

test('the default e-mail address of the bootstrap token omits the domain of the host: ada@mail on mail.example.com', () => {
  assert.equal(operatorEmail('ada', 'mail.example.com'), 'ada@mail');
});

for (const [user, host] of [
  ['', ''],
  ['Ada Lovelace', 'Adas-Büro'],
  ["o'hara", '$(reboot)'],
  ['DOMAIN\\ada', 'x'.repeat(300)],
] as const) {
  test(`the default e-mail address of the bootstrap token is a valid address, and needs no quotes in a shell (user "${user}", host "${host.slice(0, 20)}")`, () => {
    const email = operatorEmail(user, host);
    assert.ok(isEmail(email), email);
    assert.match(email, /^[\w.@-]{1,65}$/);
  });
}
