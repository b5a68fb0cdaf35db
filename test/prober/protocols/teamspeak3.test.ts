import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step, StreamExchange } from '../../../prober/protocols/protocol.ts';
import { teamspeak3 } from '../../../prober/protocols/teamspeak3.ts';
import { openStream, packetsOf, statusOf } from './exchange.ts';

const OK = 'error id=0 msg=ok\n\r';
const GREETING = 'TS3\n\rWelcome to the TeamSpeak 3 ServerQuery interface.\n\r';
const INFO = {
  virtualserver_name: 'Red\\s\\p\\sBlue\\/\\\\s',
  virtualserver_version: '3.13.7\\s[Build:\\s1655727713]',
  virtualserver_maxclients: '32',
  virtualserver_clientsonline: '4',
  virtualserver_queryclientsonline: '1',
  virtualserver_flag_password: '1',
  virtualserver_port: '9987',
};
const infoLine = (info: Record<string, string>): string =>
  Object.entries(info)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
const ANSWERS = `${OK}virtualserver_welcomemessage ${infoLine(INFO)}\n\r${OK}`;
const CLIENTS = [
  'clid=1 cid=1 client_nickname=Ann client_type=0',
  'clid=2 cid=1 client_nickname=B\\so\\pb client_type=0',
  'clid=3 cid=1 client_nickname=Asker\\sfrom\\s192.0.2.1:5000 client_type=1',
  'clid=4 cid=7 client_nickname=J\u00f6rg client_type=0',
].join('|');
const LIST = `${CLIENTS}\n\r${OK}`;

const STATUS = {
  name: 'Red | Blue/\\s',
  version: '3.13.7 [Build: 1655727713]',
  players: 3,
  maxplayers: 32,
  password: true,
  connectPort: 9987,
};
const LISTED = { ...STATUS, playerList: [{ name: 'Ann' }, { name: 'B o|b' }, { name: 'J\u00f6rg' }] };

const say = (exchange: StreamExchange, text: string): Step => exchange.receive(Buffer.from(text));
const greeted = (): StreamExchange => {
  const exchange = openStream(teamspeak3);
  say(exchange, GREETING);
  return exchange;
};
const informed = (): StreamExchange => {
  const exchange = greeted();
  say(exchange, ANSWERS);
  return exchange;
};

test('TeamSpeak 3: waits for the greeting, then requests the info of the voice server, then its clients', () => {
  const exchange = openStream(teamspeak3);
  assert.deepEqual(exchange.request(), []);
  assert.deepEqual(packetsOf(say(exchange, 'TS3\n')), [Buffer.from('use port=25565\nserverinfo\n')]);
  assert.equal(say(exchange, '\rWelcome to the TeamSpeak 3 ServerQuery interface.\n\r').kind, 'more');
  assert.equal(exchange.partial(), undefined);
  assert.deepEqual(packetsOf(say(exchange, ANSWERS)), [Buffer.from('clientlist\n')]);
  assert.deepEqual(exchange.partial(), STATUS);
  assert.deepEqual(statusOf(say(exchange, LIST)), LISTED);
});

test('TeamSpeak 3: accepts the greeting of a TeaSpeak server', () => {
  const greeting = 'TeaSpeak\nWelcome on the TeaSpeak ServerQuery interface.\n';
  const step = say(openStream(teamspeak3), greeting);
  assert.deepEqual(packetsOf(step), [Buffer.from('use port=25565\nserverinfo\n')]);
});

test('TeamSpeak 3: if a secret is set, logs in first, with the configured user name or serveradmin', () => {
  const secret = 'a b|c/d\\e';
  const named = openStream(teamspeak3, { secret, options: new Map([['username', 'monitor one']]) });
  const opening = 'login monitor\\sone a\\sb\\pc\\/d\\\\e\nuse port=25565\nserverinfo\n';
  assert.deepEqual(packetsOf(say(named, GREETING)), [Buffer.from(opening)]);
  assert.deepEqual(packetsOf(say(named, `${OK}${ANSWERS}`)), [Buffer.from('clientlist\n')]);
  assert.deepEqual(statusOf(say(named, LIST)), LISTED);
  const unnamed = openStream(teamspeak3, { secret: 'x' });
  assert.match(String(packetsOf(say(unnamed, GREETING))[0]), /^login serveradmin x\nuse /);
});

test('TeamSpeak 3: the result is needs-credentials if the server refuses the login or gives guests no info', () => {
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

test('TeamSpeak 3: if the server bans gsq for flooding, reports the server as running, with the time to wait', () => {
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

test('TeamSpeak 3: reads the replies in chunks of any size', () => {
  for (const size of [1, 2, 5, 64]) {
    const exchange = greeted();
    let last: Step = { kind: 'more' };
    for (const answer of [ANSWERS, LIST]) {
      const bytes = Buffer.from(answer);
      // Leaves out the last byte, a carriage return. The reply is complete without it.
      for (let at = 0; at < bytes.length - 1; at += size)
        last = exchange.receive(bytes.subarray(at, at + size));
    }
    assert.deepEqual(statusOf(last), LISTED, `in pieces of ${size}`);
  }
});

test('TeamSpeak 3: does not request the clients if gsq is the only client', () => {
  const exchange = greeted();
  const info = infoLine({ ...INFO, virtualserver_clientsonline: '1' });
  assert.deepEqual(statusOf(say(exchange, `${OK}${info}\n\r${OK}`)), { ...STATUS, players: 0 });
});

test('TeamSpeak 3: reports no status while the reply is incomplete', () => {
  for (let length = 0; length < ANSWERS.length - 2; length++) {
    const exchange = greeted();
    assert.equal(say(exchange, ANSWERS.slice(0, length)).kind, 'more', `cut at ${length}`);
    assert.equal(exchange.partial(), undefined);
  }
});

test('TeamSpeak 3: keeps the status if the client list is truncated, refused or empty', () => {
  const cut = informed();
  assert.equal(say(cut, LIST.slice(0, -OK.length)).kind, 'more');
  assert.deepEqual(cut.partial(), STATUS);
  const refused = say(
    informed(),
    'error id=2568 msg=insufficient\\sclient\\spermissions failed_permid=4\n\r',
  );
  assert.deepEqual(statusOf(refused), STATUS);
  assert.deepEqual(statusOf(say(informed(), OK)), { ...STATUS, playerList: [] });
});

test('TeamSpeak 3: does not read a welcome text as server info, even if it looks like server info', () => {
  assert.equal(say(greeted(), `${infoLine(INFO)}\n\r${OK}${OK}`).kind, 'malformed');
});

test('TeamSpeak 3: the reason of a malformed result contains the error message of the server', () => {
  const refusal = say(greeted(), 'error id=1024 msg=invalid\\sserverID\n\r');
  assert.deepEqual(refusal, { kind: 'malformed', reason: 'use: invalid serverID (1024)' });
});

test('TeamSpeak 3: rejects the greeting of another service, and an invalid server info', () => {
  for (const greeting of ['SSH-2.0-OpenSSH_9.6\r\n', 'HTTP/1.1 400 Bad Request\r\n', '\n', 'TS3x\n']) {
    assert.equal(say(openStream(teamspeak3), greeting).kind, 'malformed', greeting);
  }
  const { virtualserver_name: _, ...nameless } = INFO;
  for (const info of [
    '',
    infoLine(nameless),
    infoLine({ ...INFO, virtualserver_maxclients: 'many' }),
    infoLine({ ...INFO, virtualserver_clientsonline: '' }),
    infoLine({ ...INFO, virtualserver_queryclientsonline: '-1' }),
    infoLine({ ...INFO, virtualserver_queryclientsonline: '5' }),
  ]) {
    assert.equal(say(greeted(), `${OK}${info}\n\r${OK}`).kind, 'malformed', info);
  }
});

test('TeamSpeak 3: rejects a server that sends more than 64 lines or 256 KiB', () => {
  assert.equal(say(greeted(), 'a\n\r'.repeat(62)).kind, 'more');
  assert.equal(say(greeted(), 'a\n\r'.repeat(63)).kind, 'malformed');
  const exchange = greeted();
  assert.equal(say(exchange, 'a'.repeat(255 * 1024)).kind, 'more');
  assert.equal(say(exchange, 'a'.repeat(1024)).kind, 'malformed');
});
