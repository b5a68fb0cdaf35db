import assert from 'node:assert/strict';
import { test } from 'node:test';
import { teamspeak3 } from '../../../prober/protocols/teamspeak3.ts';
import { openStream, packetsOf, statusOf } from './exchange.ts';
import {
  ANSWERS,
  GREETING,
  greeted,
  informed,
  LIST,
  LISTED,
  OK,
  STATUS,
  say,
} from './teamspeak3-exchange.ts';

test('TeamSpeak 3: if a secret is set, gsq logs in first; the user name is `serveradmin` unless a different name is configured', () => {
  const secret = 'a b|c/d\\e';
  const named = openStream(teamspeak3, { secret, options: new Map([['username', 'monitor one']]) });
  const opening = 'login monitor\\sone a\\sb\\pc\\/d\\\\e\nuse port=25565\nserverinfo\n';
  assert.deepEqual(packetsOf(say(named, GREETING)), [Buffer.from(opening)]);
  assert.deepEqual(packetsOf(say(named, `${OK}${ANSWERS}`)), [Buffer.from('clientlist\n')]);
  assert.deepEqual(statusOf(say(named, LIST)), LISTED);
  const unnamed = openStream(teamspeak3, { secret: 'x' });
  assert.match(String(packetsOf(say(unnamed, GREETING))[0]), /^login serveradmin x\nuse /);
});

test('TeamSpeak 3: reports `needs-credentials` if the server refuses the login or sends no info to guests', () => {
  const wrong = openStream(teamspeak3, { secret: 'x' });
  say(wrong, GREETING);
  const invalid = 'error id=520 msg=invalid\\sloginname\\sor\\spassword\n\r';
  assert.deepEqual(say(wrong, invalid), {
    kind: 'unknowable',
    answer: { kind: 'needs-credentials', detail: 'login: invalid loginname or password (520)' },
  });
  const forbidden = 'error id=2568 msg=insufficient\\sclient\\spermissions failed_permid=4\n\r';
  assert.deepEqual(say(greeted(), `${OK}${forbidden}`), {
    kind: 'unknowable',
    answer: { kind: 'needs-credentials', detail: 'serverinfo: insufficient client permissions (2568)' },
  });
  assert.deepEqual(statusOf(say(informed(), forbidden)), STATUS, 'the list alone is not worth a secret');
});

test('TeamSpeak 3: if the server bans gsq for flooding, gsq reports the time to wait and does not count the server as offline', () => {
  const banned = 'error id=3329 msg=connection\\sfailed,\\syou\\sare\\sbanned';
  const retry = 'extra_msg=you\\smay\\sretry\\sin\\s600\\sseconds';
  for (const [said, answer] of [
    [
      `${banned} ${retry}\n\r`,
      {
        kind: 'directory-refused',
        detail: 'use: connection failed, you are banned (3329)',
        retryAfterMs: 600_000,
      },
    ],
    ['error id=3331 msg=flood\\sban\n\r', { kind: 'directory-refused', detail: 'use: flood ban (3331)' }],
    [
      `${OK}error id=524 msg=client\\sis\\sflooding extra_msg=please\\swait\\s1\\sseconds\n\r`,
      { kind: 'paced', detail: 'serverinfo: client is flooding (524)', retryAfterMs: 1000 },
    ],
  ] as const) {
    assert.deepEqual(say(greeted(), said), { kind: 'unknowable', answer });
    const { name } = statusOf(say(informed(), said));
    assert.equal(name, STATUS.name, 'a status that is known stays');
  }
  const atOnce = say(openStream(teamspeak3), `${banned} ${retry}\n\r`);
  assert.equal(atOnce.kind === 'unknowable' && atOnce.answer.retryAfterMs, 600_000, 'in place of a greeting');
});
